import {
  canonicalJson,
  type Fault,
  fault,
  type Grant,
  isFault,
  type Json,
  type Outcome,
  sharedLimits,
  toFault,
} from '../kernel/index.ts';
import type { CompiledContract } from './language/index.ts';

/** Error codes after which the request may have been received without an answer. */
const doubtful = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** Error codes after which nothing was sent; after any other error it may have arrived. */
export const unsentCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_INVALID_URL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** A caller that aborts does not know what the other side does with the request. */
const brokenOff = new Set(['AbortError', 'TimeoutError']);

/** The parts of a contract that apply to a running call. */
export type AttemptBounds = Pick<CompiledContract, 'tool' | 'effect' | 'timeoutMs'>;

export interface AttemptResult<Value extends Json> {
  readonly outcome: Outcome<Value>;
  /** The end of a call that was told to stop and continues; null if it has ended. */
  readonly running: Promise<Value> | null;
}

/**
 * Runs a call within its time limit and returns its outcome. An end that nobody observed is
 * unknown.
 */
export async function attempt<Value extends Json>(
  grant: Omit<Grant, 'signal'>,
  contract: AttemptBounds | null,
  run: (grant: Grant) => Promise<Value>,
): Promise<AttemptResult<Value>> {
  const { proposal } = grant;
  const time = contract ? limited(contract.timeoutMs) : unlimited();
  // The async function turns a synchronous throw into an outcome.
  const call = watch((async () => run({ ...grant, signal: time.signal }))());
  try {
    const value = await Promise.race([call.ended, time.over]).catch((error) => {
      // The call may have ended well although it was told to stop.
      if (!call.isPending()) throw error;
      return Promise.race([call.ended, giveUpAfter(graceMs(contract), error)]);
    });
    if (contract) checkStorable(value);
    return { outcome: { status: 'committed', proposal, value }, running: null };
  } catch (error) {
    const isRunning = call.isPending();
    const wasStopped = time.signal.aborted;
    if (isRunning || wasStopped || isInDoubt(error, contract)) {
      const isRead = contract?.effect === 'read';
      const running = isRunning ? call.ended : null;
      if (!isRead) return { outcome: { status: 'unknown', proposal }, running };
    }
    const failed: Outcome<Value> = {
      status: 'failed',
      proposal,
      fault: failureOf(error, contract),
    };
    return { outcome: failed, running: null };
  } finally {
    time.stop();
  }
}

const graceMsMax = 1_000;

const graceMs = (contract: AttemptBounds | null): number =>
  Math.min(contract?.timeoutMs ?? 0, graceMsMax);

function giveUpAfter(ms: number, error: unknown): Promise<never> {
  return new Promise((_, reject) => setTimeout(() => reject(error), ms).unref());
}

function watch<Value>(ended: Promise<Value>): { ended: Promise<Value>; isPending(): boolean } {
  let isPending = true;
  const settle = (): void => {
    isPending = false;
  };
  ended.then(settle, settle);
  return { ended, isPending: () => isPending };
}

/** Throws if the effect took place but its outcome cannot be recorded. */
function checkStorable(value: Json): void {
  try {
    const bytes = Buffer.byteLength(canonicalJson(value));
    if (bytes <= sharedLimits.contentBytesMax) return;
    throw new Error(`it has ${bytes} bytes, more than ${sharedLimits.contentBytesMax}`);
  } catch (error) {
    const reason = `its result cannot be kept: ${(error as Error).message}`;
    throw fault('TOOL_IN_DOUBT', { reason }, error);
  }
}

/** One reading call within its time limit. A longer one has failed. */
export async function within<Value>(
  timeoutMs: number,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const time = limited(timeoutMs);
  try {
    return await Promise.race([run(time.signal), time.over]);
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
  // The promise may reject after everybody stopped listening.
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

function isInDoubt(error: unknown, contract: AttemptBounds | null): boolean {
  // The effect was an entry of our own, and it is unknown whether it was written.
  if (isFault(error, 'LEDGER_IN_DOUBT')) return true;
  // A read has no effect that could be in doubt.
  if (contract?.effect === 'read') return false;
  // A tool without a contract is only observed; nothing of Surety reports this code for it.
  if (!contract) return isFault(error, 'TOOL_IN_DOUBT');
  const { name } = (error ?? {}) as { name?: string };
  if (name !== undefined && brokenOff.has(name)) return true;
  return isFault(error, 'TOOL_IN_DOUBT') || doubtful.has(codeOf(error));
}

function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return typeof code === 'string' ? code : cause ? codeOf(cause) : '';
}

/** A tool's own error is not a bug of Surety. Its code distinguishes failures. */
function failureOf(error: unknown, contract: AttemptBounds | null): Fault {
  if (!contract || isFault(error)) return toFault(error);
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const code = codeOf(error) || name;
  return fault('TOOL_FAILED', { tool: contract.tool, reason: message }, error).with({ code });
}
