import { type RandomBytes, systemRandom } from '../../kernel/index.ts';
import type { Hop, Lane } from '../../lanes/index.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import type { IsSafe, Scenario, ScenarioRequest } from '../traffic/index.ts';
import { carryInto } from '../traffic/index.ts';
import { Arm } from './arm.ts';
import { hopsByRequest, type SampledPair } from './sample.ts';
import type { Sampled } from './signals.ts';
import { neededSteps, type Step, stepsOf } from './steps.ts';

export type PairContext = Pick<VerifyContext, 'routes' | 'host' | 'random' | 'signal'>;

export interface PairPlan {
  readonly control: Lane;
  readonly candidate: Lane;
  readonly services: readonly string[];
  readonly ingress: string;
  readonly scenarios: readonly Scenario[];
  readonly isSafe: IsSafe;
  /** Pairs that are not counted: fresh processes have not compiled anything yet. */
  readonly warmUpPairs: number;
  readonly pairsMax: number;
  /** Then it is enough unless something looks bad; and three times that is enough for anything. */
  readonly ms: number;
}

/** What has been sampled so far, and whether the time for it is over. */
export type IsEnough = (sampled: Sampled, isLate: boolean) => boolean;

const lookEveryPairs = 10;
const lateFactor = 3;

/** Pairs on fresh processes of both versions, until it is enough, or there have been as many. */
export async function measurePairs(
  plan: PairPlan,
  isEnough: IsEnough,
  context: PairContext,
): Promise<Sampled> {
  const { control, candidate, services } = plan;
  const arms = [
    await Arm.open(control, services, context),
    await Arm.open(candidate, services, context),
  ] as const;
  try {
    return await samplePairs(arms, plan, isEnough, context);
  } finally {
    for (const arm of arms) arm.close();
  }
}

type Arms = readonly [Arm, Arm];

async function samplePairs(
  arms: Arms,
  plan: PairPlan,
  isEnough: IsEnough,
  { random = systemRandom, signal }: PairContext,
): Promise<Sampled> {
  const started = performance.now();
  const pairs: SampledPair[] = [];
  const sent: SampledPair[] = [];
  for await (const step of endlessly(plan, arms, sent)) {
    if (signal?.aborted) break;
    const pair = await samplePair(arms, step, random);
    const ms = performance.now() - started;
    if (pair && sent.push(pair) > plan.warmUpPairs) pairs.push(pair);
    const isOver = pairs.length >= plan.pairsMax || ms > lateFactor * plan.ms;
    const isTime = pair !== null && pairs.length > 0 && pairs.length % lookEveryPairs === 0;
    if (!isOver && !isTime) continue;
    const sampled = await look(arms, pairs, plan);
    if (isOver || isEnough(sampled, ms > plan.ms)) return sampled;
  }
  return look(arms, pairs, plan);
}

/** Scenario after scenario: all requests once, then over and over those that tell something. */
async function* endlessly(
  plan: PairPlan,
  arms: Arms,
  sent: readonly SampledPair[],
): AsyncGenerator<Step> {
  let scenarios = stepsOf(plan.scenarios, plan.isSafe);
  yield* once(scenarios, arms);
  // Those of the warm-up as well: they are not counted, but where they went is known.
  const telling = tellingRequests(await look(arms, sent, plan));
  const reduced = scenarios.map((steps) =>
    neededSteps(steps, ({ request }) => telling.has(request)),
  );
  // After a warm-up little or nothing was counted yet: the whole system is still to be looked at.
  if (telling.size > 0 || plan.warmUpPairs === 0) scenarios = reduced;
  while (scenarios.some((steps) => steps.length > 0)) yield* once(scenarios, arms);
}

function* once(scenarios: readonly (readonly Step[])[], arms: Arms): Generator<Step> {
  for (const steps of scenarios) {
    for (const arm of arms) arm.answers.clear();
    yield* steps;
  }
}

/** Those that reached a changed service, on either version. */
function tellingRequests(sampled: Sampled): ReadonlySet<ScenarioRequest> {
  const { pairs, control, candidate, services } = sampled;
  const reaches = (hops: readonly Hop[] = []): boolean =>
    hops.some(({ to }) => services.includes(to));
  const telling = pairs.filter(
    (pair) => reaches(control.get(pair.control.id)) || reaches(candidate.get(pair.candidate.id)),
  );
  return new Set(telling.map(({ request }) => request));
}

/** Which goes first is drawn by lot: that makes the sign of a difference a fair coin. */
async function samplePair(
  [control, candidate]: Arms,
  { request, number, carried }: Step,
  random: RandomBytes,
): Promise<SampledPair | null> {
  const before = carryInto(request, carried, control.answers);
  const after = carryInto(request, carried, candidate.answers);
  // What one of them could not be asked is no pair; why not was counted where it went wrong.
  if (!before || !after) return null;
  if (((random(1)[0] ?? 0) & 1) === 0) {
    const first = await control.send(before, number);
    return { request, control: first, candidate: await candidate.send(after, number) };
  }
  const first = await candidate.send(after, number);
  return { request, control: await control.send(before, number), candidate: first };
}

async function look(
  arms: Arms,
  pairs: readonly SampledPair[],
  { services, ingress }: PairPlan,
): Promise<Sampled> {
  await Promise.all(arms.map((arm) => arm.readHops()));
  const [control, candidate] = arms.map((arm) => hopsByRequest(arm.hops));
  return {
    pairs,
    control: control ?? new Map(),
    candidate: candidate ?? new Map(),
    services,
    ingress,
  };
}
