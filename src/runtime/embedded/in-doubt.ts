import { type Fault, fault } from '../../kernel/index.ts';

/** What a function throws that cannot tell whether it had its effect: it is not run again. */
export function inDoubt(reason: string, cause?: unknown): Fault {
  return fault('TOOL_IN_DOUBT', { reason }, cause);
}
