import {
  committedValue,
  type Fault,
  isFault,
  type Json,
  type JsonObject,
  type Outcome,
  toFault,
} from '../../kernel/index.ts';
import { chosenOptions, type GuardedCallOptions } from './call-options.ts';
import type { CallGrant, EmbeddedAct } from './embedded-act.ts';
import { jsonOf, snapshot } from './json-value.ts';

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
