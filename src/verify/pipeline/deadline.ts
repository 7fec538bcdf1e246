import { setTimeout as delay } from 'node:timers/promises';
import type { Verdict } from '../api-schema.ts';
import { noObservation } from '../judge/empty-observation.ts';
import type { VerifyContext } from './context.ts';
import type { VerifyRequest } from './request.ts';
import type { ServiceVerdict } from './run.ts';

/** How long a run may take to end by itself after the deadline. */
const graceMs = 5_000;

/**
 * At the deadline suites are ended, and the run reports what it knows by then. It does not wait for
 * what can't be ended, such as a service that is starting: that ends with its lane.
 */
export async function withDeadline(
  run: Promise<ServiceVerdict>,
  request: VerifyRequest,
  { signal, lanes }: Pick<VerifyContext, 'signal' | 'lanes'>,
): Promise<ServiceVerdict> {
  if (!signal) return run;
  const over = new AbortController();
  const late = graceAfter(signal, over.signal);
  try {
    const ended = await Promise.race([run, late]);
    if (ended !== null) return ended;
    run.catch(() => undefined);
    const { services } = await lanes.factsOf(request).catch(() => ({ services: [] }));
    return { ...unfinished(request), services };
  } finally {
    over.abort();
  }
}

/** Resolves to null after the deadline and the grace period, unless the run has ended before. */
async function graceAfter(signal: AbortSignal, over: AbortSignal): Promise<null> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
  await promise;
  await delay(graceMs, undefined, { signal: over }).catch(() => undefined);
  return null;
}

function unfinished({ profile = 'quick' }: VerifyRequest): Verdict {
  const reason = 'the deadline passed before the verification was complete';
  return { verdict: 'inconclusive', reason, ...noObservation(profile, 'the deadline passed') };
}
