import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '../../../src/kernel/index.ts';
import type { Send } from '../outcomes.ts';

export interface Persistent {
  readonly send: Send;
  /** The codes of all faults on the way, also of those that a later try made good. */
  readonly faults: ReadonlySet<string>;
}

const triesMax = 500;
const waitMs = 40;

/**
 * A caller that does as the fault says: tries again, but not what may have been written already.
 */
export function persistent(send: Send): Persistent {
  const faults = new Set<string>();
  const sendUntilTold: Send = async (text) => {
    for (let tries = 1; ; tries++) {
      try {
        return await send(text);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        faults.add(error.code);
        const isOver = !error.retryable || error.code === 'LEDGER_IN_DOUBT';
        if (isOver || tries === triesMax) throw error;
        await delay(waitMs);
      }
    }
  };
  return { send: sendUntilTold, faults };
}

/** At most so many at a time; whoever was told makes room for the next. */
export function atMost(count: number, send: Send): Send {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (text) => {
    if (running >= count) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      return await send(text);
    } finally {
      running--;
      waiting.shift()?.();
    }
  };
}
