import { fault, isFault } from '../../kernel/index.ts';
import { type DebugTarget, readConditionAfter } from './debug-target.ts';
import { DapError } from './wire/client.ts';

/** What a debugger's failure means to the person who placed a probe. */
export async function failureFault(
  error: unknown,
  { target, debugger: name }: { readonly target: DebugTarget; readonly debugger: string },
): Promise<unknown> {
  if (isFault(error) || !(error instanceof DapError)) return error;
  const condition = await readConditionAfter(target);
  if (condition === 'gone') return fault('PROBE_PROCESS_MISSING', { pid: target.pid });
  const reason = [error.message, ...condition].join('; ');
  return fault('PROBE_DEBUGGER_FAILED', { debugger: name, pid: target.pid, reason });
}
