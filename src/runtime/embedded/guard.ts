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
  /** The idempotency key, where neither the caller nor the contract says one. */
  readonly key?: (given: Arguments) => string;
  /** Answers in place of throwing: for frameworks that show a model what a tool answered. */
  readonly onFault?: (fault: Fault) => unknown;
}

/** `options` are those of CallOptions; whatever else a framework passes there is left alone. */
export type GuardedFunction<Arguments, Value> = (
  given: Arguments,
  options?: GuardedCallOptions | object,
) => Promise<Value>;

/** `handed` is what the caller passed besides the arguments; recovery hands nothing. */
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

/** Runs the function of a tool for whoever has a grant. */
export type RunGranted = (given: JsonObject, grant: CallGrant) => Promise<Json>;

export interface GuardDeps {
  readonly act: EmbeddedAct;
  /** Keeps the function of a tool, so that recovery can call it. */
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

/** Whoever catches the fault of a call finds in its details which proposal it was. */
function committedOf(outcome: Outcome): Json {
  try {
    return committedValue(outcome);
  } catch (error) {
    const { proposal } = outcome;
    throw isFault(error) ? error.with({ proposal, ...error.details }) : error;
  }
}

/**
 * The arguments as they are now: what was decided about is what runs, whatever the caller does to
 * them meanwhile. What is no JSON stays as it is, for the gate to refuse and to record.
 */
function snapshot(given: object): JsonObject {
  return tryOr(
    () => JSON.parse(canonicalJson(given as JsonObject)) as JsonObject,
    given as JsonObject,
  );
}

/**
 * What a function returned, as JSON keeps it: the same is told now and on every repetition. Where
 * something would be lost the call took effect all the same, so it is in doubt and not failed.
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
