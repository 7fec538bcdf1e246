import type { Hop } from '../../lanes/index.ts';
import { neededSteps, type ScenarioStep } from '../measure/index.ts';
import type { ConcurrentAnswer, LoadArm } from './load-arm.ts';
import { requestContent } from './relevant-steps.ts';

/** The same request several times at the same moment, on one version. */
export interface Burst {
  /** All texts that client and services exchanged up to and including the request. */
  readonly texts: readonly string[];
  readonly answers: readonly ConcurrentAnswer[];
  readonly hops: readonly Hop[];
}

/** Bursts of the same request on both versions. */
export interface ConcurrentTrial {
  readonly steps: PreparedSteps;
  readonly control: readonly Burst[];
  readonly candidate: readonly Burst[];
}

const requestsOfBurst = 4;
const requestsMax = 12;

/** A request that has an effect, as the last step, and the steps whose answers it needs. */
export type PreparedSteps = readonly ScenarioStep[];

/** Each different request that has an effect, once. */
export function stepsWithEffects(scenarios: readonly (readonly ScenarioStep[])[]): PreparedSteps[] {
  const known = new Map<string, PreparedSteps>();
  for (const steps of scenarios) {
    for (const [place, step] of steps.entries()) {
      // The body counts: another card number may take another path through a service.
      const content = requestContent(step);
      if (isRead(step) || known.has(content)) continue;
      known.set(
        content,
        neededSteps(steps.slice(0, place + 1), (one) => one === step),
      );
    }
  }
  return [...known.values()].slice(0, requestsMax);
}

export async function sendBurst(arm: LoadArm, steps: PreparedSteps): Promise<Burst> {
  await arm.newHops();
  const { texts, answers } = await arm.sendConcurrently(steps, requestsOfBurst);
  const ids = new Set(answers.map(({ id }) => id));
  const hops = await arm.newHops();
  return { texts, answers, hops: hops.filter(({ requestId }) => ids.has(requestId ?? '')) };
}

function isRead({ request: { method } }: ScenarioStep): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}
