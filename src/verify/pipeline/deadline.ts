import { setTimeout as delay } from 'node:timers/promises';
import { nothingSeen } from '../judge/empty-observation.ts';
import type { Verdict } from '../judge/verdict.ts';
import type { RunDeps, VerifyRequest } from './run.ts';

export type Reached = Verdict & { readonly services: readonly string[] };

/** How long what runs has to come to its own end once the time is up. */
const graceMs = 5_000;

/**
 * Once the time is up, suites are ended and the run says what it has seen so far. What does not
 * listen, such as a service that is being started, is not waited for: it ends with its lane.
 */
export async function inTime(
  run: Promise<Reached>,
  request: VerifyRequest,
  { signal, lanes }: Pick<RunDeps, 'signal' | 'lanes'>,
): Promise<Reached> {
  if (!signal) return run;
  const over = new AbortController();
  const late = untilLate(signal, over.signal);
  try {
    const ended = await Promise.race([run, late]);
    if (ended !== null) return ended;
    run.catch(() => undefined);
    const { services } = await lanes.factsOf(request).catch(() => ({ services: [] }));
    return { ...unreached(request), services };
  } finally {
    over.abort();
  }
}

/** Null when the time is up and the grace is over; never when the run has ended before. */
async function untilLate(signal: AbortSignal, over: AbortSignal): Promise<null> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
  await promise;
  await delay(graceMs, undefined, { signal: over }).catch(() => undefined);
  return null;
}

function unreached({ profile = 'quick' }: VerifyRequest): Verdict {
  const reason = 'the time was up before the change was looked at to the end';
  return { verdict: 'inconclusive', reason, ...nothingSeen(profile, 'the time was up') };
}
