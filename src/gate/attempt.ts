import {
  type Fault,
  fault,
  type Grant,
  isFault,
  type Json,
  type Outcome,
  toFault,
} from '../kernel/index.ts';
import type { CompiledContract } from './language/index.ts';

/** Codes after which a request may have been received although nobody answered. */
const doubtful = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** Whoever breaks off does not know what the other side does with what it has received. */
const brokenOff = new Set(['AbortError', 'TimeoutError']);

/** What a contract says about a call that is under way. */
export type Bounds = Pick<CompiledContract, 'tool' | 'effect' | 'timeoutMs'>;

/** Runs it within its time and tells how it ended: what nobody saw ending is unknown. */
export async function attempt<Value extends Json>(
  grant: Omit<Grant, 'signal'>,
  contract: Bounds | null,
  run: (grant: Grant) => Promise<Value>,
): Promise<Outcome<Value>> {
  const { proposal } = grant;
  const time = contract ? limited(contract.timeoutMs) : unlimited();
  try {
    const value = await Promise.race([run({ ...grant, signal: time.signal }), time.over]);
    return { status: 'committed', proposal, value };
  } catch (error) {
    if (isInDoubt(error, contract)) return { status: 'unknown', proposal };
    return { status: 'failed', proposal, fault: failureOf(error, contract) };
  } finally {
    time.stop();
  }
}

interface Time {
  readonly signal: AbortSignal;
  readonly over: Promise<never>;
  stop(): void;
}

function limited(timeoutMs: number): Time {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  // Nobody may be listening any more by the time it is over.
  promise.catch(() => undefined);
  const timer = setTimeout(() => {
    const late = fault('TOOL_IN_DOUBT', { reason: `it took longer than ${timeoutMs} ms` });
    controller.abort(late);
    reject(late);
  }, timeoutMs);
  return { signal: controller.signal, over: promise, stop: () => clearTimeout(timer) };
}

function unlimited(): Time {
  const never = new Promise<never>(() => undefined);
  return { signal: new AbortController().signal, over: never, stop: () => undefined };
}

function isInDoubt(error: unknown, contract: Bounds | null): boolean {
  // The effect was an entry of our own, and nobody knows yet whether it was written.
  if (isFault(error, 'LEDGER_IN_DOUBT')) return true;
  // What only reads has no effect that could be in doubt.
  if (!contract || contract.effect === 'read') return false;
  const { name } = (error ?? {}) as { name?: string };
  if (name !== undefined && brokenOff.has(name)) return true;
  return isFault(error, 'TOOL_IN_DOUBT') || doubtful.has(codeOf(error));
}

function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return typeof code === 'string' ? code : cause ? codeOf(cause) : '';
}

/** A tool's own error is not our bug; its code tells one failure from another. */
function failureOf(error: unknown, contract: Bounds | null): Fault {
  if (!contract || isFault(error)) return toFault(error);
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const code = codeOf(error) || name;
  return fault('TOOL_FAILED', { tool: contract.tool, reason: message }, error).with({ code });
}
