import { setTimeout as delay } from 'node:timers/promises';

/** Long enough for a machine that has much else to do; only a test that fails takes so long. */
const waitMsMax = 180_000;

/** Each look takes time from what it waits for, so it looks less often after a while. */
const pauseMs = { first: 5, most: 50 };

/** Looks until it sees something; how long that takes is no part of any test. */
export async function until<Seen>(
  what: string,
  look: () => Seen | Promise<Seen>,
): Promise<NonNullable<Seen>> {
  const deadline = AbortSignal.timeout(waitMsMax);
  for (let pause = pauseMs.first; ; pause = Math.min(pause + 1, pauseMs.most)) {
    const seen = await look();
    if (seen) return seen;
    if (deadline.aborted) throw new Error(`waited in vain until ${what}`);
    await delay(pause);
  }
}
