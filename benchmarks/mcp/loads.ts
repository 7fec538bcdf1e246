import { setTimeout as delay } from 'node:timers/promises';
import { Caller, type Target } from './caller.ts';

/** Milliseconds that each call took. */
export type Load = (target: Target) => Promise<number[]>;

/** One client, one call after the other. */
export function oneClient(calls: number): Load {
  return (target) =>
    withCallers(target, 1, async ([caller]) => {
      const taken: number[] = [];
      for (let index = 0; index < calls; index++) taken.push(await timed(caller as Caller));
      return taken;
    });
}

/** As fast as all of them together can. */
export function allAtOnce(clients: number, calls: number): Load {
  return (target) =>
    withCallers(target, clients, async (callers) => {
      const taken: number[] = [];
      let begun = 0;
      const work = async (caller: Caller): Promise<void> => {
        while (begun++ < calls) taken.push(await timed(caller));
      };
      await Promise.all(callers.map(work));
      return taken;
    });
}

/**
 * So many a second, however long each takes. A call whose client is still busy waits for it, and
 * its time runs from when it was due to be sent: a slow answer must not hide the ones behind it.
 */
export function offered(clients: number, perSecond: number, calls: number): Load {
  return (target) =>
    withCallers(target, clients, async (callers) => {
      const queues = callers.map(() => Promise.resolve());
      const taken: number[] = [];
      const started = performance.now();
      for (let index = 0; index < calls; ) {
        const due = Math.min(calls, ((performance.now() - started) / 1_000) * perSecond);
        for (; index < due; index++) {
          const client = index % clients;
          const at = performance.now();
          queues[client] = (queues[client] as Promise<void>)
            .then(() => (callers[client] as Caller).call())
            .then(() => void taken.push(performance.now() - at));
        }
        await delay(1);
      }
      await Promise.all(queues);
      return taken;
    });
}

async function withCallers<Result>(
  target: Target,
  clients: number,
  work: (callers: readonly Caller[]) => Promise<Result>,
): Promise<Result> {
  const callers = await Promise.all(Array.from({ length: clients }, () => Caller.open(target)));
  try {
    return await work(callers);
  } finally {
    for (const caller of callers) caller.close();
  }
}

async function timed(caller: Caller): Promise<number> {
  const started = performance.now();
  await caller.call();
  return performance.now() - started;
}
