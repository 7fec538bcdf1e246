import type { Hop } from '../../lanes/index.ts';
import { neededSteps, type Step } from '../measure/index.ts';
import type { AnswerAtOnce, LoadArm } from './load-arm.ts';
import { saidBy } from './telling-steps.ts';

/** The same request several times at the same moment, on one version. */
export interface Burst {
  /** All that the client said with it, and that either side said before. */
  readonly said: readonly string[];
  readonly answers: readonly AnswerAtOnce[];
  readonly hops: readonly Hop[];
}

/** What both versions made of it, as often as it was tried. */
export interface AtOnce {
  readonly steps: Prepared;
  readonly control: readonly Burst[];
  readonly candidate: readonly Burst[];
}

const timesAtOnce = 4;
const stepsMax = 12;

/** A step that does something, and those before it whose answers it needs. */
export type Prepared = readonly Step[];

/** Each kind of request once that does more than to ask. */
export function stepsAtOnce(scenarios: readonly (readonly Step[])[]): Prepared[] {
  const known = new Map<string, Prepared>();
  for (const steps of scenarios) {
    for (const [place, step] of steps.entries()) {
      // What is said with it counts as well: another card may be another way through a service.
      const kind = saidBy(step);
      if (isAsking(step) || known.has(kind)) continue;
      known.set(
        kind,
        neededSteps(steps.slice(0, place + 1), (one) => one === step),
      );
    }
  }
  return [...known.values()].slice(0, stepsMax);
}

export async function sendBurst(arm: LoadArm, steps: Prepared): Promise<Burst> {
  await arm.newHops();
  const { said, answers } = await arm.sendAtOnce(steps, timesAtOnce);
  const ids = new Set(answers.map(({ id }) => id));
  const hops = await arm.newHops();
  return { said, answers, hops: hops.filter(({ requestId }) => ids.has(requestId ?? '')) };
}

function isAsking({ request: { method } }: Step): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}
