import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, SuiteError } from './broken.ts';

export interface WaitOptions {
  /** Milliseconds until it is too late. */
  readonly within: number;
  /** Milliseconds between two looks. */
  readonly every?: number;
}

/** Holds once it returns something true and does not throw. */
export type Probe<Value> = () => Value | Promise<Value>;

type Holding<Value> = Exclude<Value, false | null | undefined | 0 | ''>;

const everyMs = 50;

/** What a look saw when it held. */
export async function eventually<Value>(
  look: Probe<Value>,
  { within, every = everyMs }: WaitOptions,
): Promise<Holding<Value>> {
  const late = deadlineOf(within);
  let last = 'the look itself did not end';
  try {
    while (!late.isOver()) {
      const seen = await Promise.race([attempt(look), late.promise]);
      if (seen?.holds) return seen.value as Holding<Value>;
      last = seen?.told ?? last;
      await Promise.race([delay(every), late.promise]);
    }
  } finally {
    late.cancel();
  }
  throw new Error(`within ${within} ms it did not come true; at last ${last}`);
}

type ProbeResult<Value> = { holds: true; value: Value } | { holds: false; told: string };

async function attempt<Value>(look: Probe<Value>): Promise<ProbeResult<Value>> {
  try {
    const value = await look();
    return value ? { holds: true, value } : { holds: false, told: `it saw ${String(value)}` };
  } catch (error) {
    if (error instanceof SuiteError) throw error;
    return { holds: false, told: messageOf(error) };
  }
}

/** A look that hangs must not take the deadline with it. */
function deadlineOf(ms: number) {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    resolve(undefined);
  }, ms);
  return { promise, isOver: () => isOver, cancel: () => clearTimeout(timer) };
}
