import {
  canonicalJson,
  committedValue,
  type Fault,
  fault,
  isFault,
  type Json,
  type JsonObject,
  type Outcome,
  sharedLimits,
  toFault,
  tryOr,
} from '../../kernel/index.ts';
import { chosenOptions, type GuardedCallOptions } from './call-options.ts';
import type { CallGrant, EmbeddedAct } from './embedded-act.ts';

export interface GuardOptions<Arguments> extends Omit<GuardedCallOptions, 'key' | 'reported'> {
  /** The idempotency key, if neither the caller nor the contract gives one. */
  readonly key?: (given: Arguments) => string;
  /** Answers instead of throwing, for frameworks that show a tool's answer to a model. */
  readonly onFault?: (fault: Fault) => unknown;
}

/** `options` are those of CallOptions; other values that a framework passes are ignored. */
export type GuardedFunction<Arguments, Value> = (
  given: Arguments,
  options?: GuardedCallOptions | object,
) => Promise<Value>;

/** `handed` is what the caller passed after the arguments; recovery passes nothing. */
type Work<Arguments, Value> = (
  given: Arguments,
  grant: CallGrant,
  handed?: object,
) => Promise<Value> | Value;

export type Guard = <Arguments extends object, Value>(
  tool: string,
  work: Work<Arguments, Value>,
  options?: GuardOptions<Arguments>,
) => GuardedFunction<Arguments, Value>;

/** Runs the function of a tool for the holder of a grant. */
export type RunGranted = (given: JsonObject, grant: CallGrant) => Promise<Json>;

export interface GuardDeps {
  readonly act: EmbeddedAct;
  /** Keeps the function of a tool for recovery. */
  readonly register: (tool: string, run: RunGranted) => void;
}

/** Functions that run only when the gate grants it, and once. */
export function createGuard({ act, register }: GuardDeps): Guard {
  return <Arguments extends object, Value>(
    tool: string,
    work: Work<Arguments, Value>,
    options: GuardOptions<Arguments> = {},
  ) => {
    const { key, onFault, ...usual } = options;
    const run = async (given: JsonObject, grant: CallGrant, handed?: object): Promise<Json> =>
      jsonOf(await work(given as Arguments, grant, handed));
    register(tool, (given, grant) => run(given, grant));
    return async (args, call) => {
      try {
        const given = snapshot(args);
        // The gate refuses anything but an object, and records that.
        const made =
          key && typeof (given ?? '') === 'object' ? { key: key(given as Arguments) } : {};
        const chosen = { ...made, ...chosenOptions(usual), ...chosenOptions(call) };
        const outcome = await act({ ...chosen, tool, arguments: given }, (grant) =>
          run(given, grant, call),
        );
        return committedOf(outcome) as Value;
      } catch (error) {
        if (onFault) return onFault(toFault(error)) as Value;
        throw error;
      }
    };
  };
}

/** The details of the fault name the proposal. */
function committedOf(outcome: Outcome): Json {
  try {
    return committedValue(outcome);
  } catch (error) {
    const { proposal } = outcome;
    throw isFault(error) ? error.with({ proposal, ...error.details }) : error;
  }
}

/**
 * A copy of the arguments: what was decided is what runs, even if the caller changes them
 * meanwhile. Values that are not JSON stay, so that the gate refuses and records them.
 */
function snapshot(given: object): JsonObject {
  return tryOr(
    () => JSON.parse(canonicalJson(given as JsonObject)) as JsonObject,
    given as JsonObject,
  );
}

/**
 * The result of a function as JSON, which is returned now and on every repetition. If something
 * would be lost, the call still took effect, so its outcome is unknown and not failed.
 */
function jsonOf(value: unknown): Json {
  try {
    const text = JSON.stringify(value ?? null, refuseLost) ?? 'null';
    const canonical = canonicalJson(JSON.parse(text) as Json);
    const bytes = Buffer.byteLength(canonical);
    if (bytes <= sharedLimits.contentBytesMax) return JSON.parse(canonical) as Json;
    throw new Error(`it has ${bytes} bytes, of which ${sharedLimits.contentBytesMax} are kept`);
  } catch (error) {
    const reason = `what it returned cannot be recorded (${(error as Error).message})`;
    throw fault('TOOL_IN_DOUBT', { reason }, error);
  }
}

function refuseLost(name: string, value: unknown): unknown {
  const isLost = typeof value === 'number' ? !Number.isFinite(value) : isCollection(value);
  if (isLost) throw new Error(`${name || 'the value'} is no JSON`);
  return value;
}

function isCollection(value: unknown): boolean {
  return value instanceof Map || value instanceof Set;
}
