import { setTimeout as delay } from 'node:timers/promises';
import { type Json, type RandomBytes, systemRandom } from '../../kernel/index.ts';
import {
  attributeOwnCalls,
  type Hop,
  type Lane,
  type Meter,
  type Routes,
} from '../../lanes/index.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import {
  carryInto,
  type IsSafe,
  type Scenario,
  type ScenarioRequest,
  ScenarioSender,
} from '../traffic/index.ts';
import { hopsByRequest, type RequestSample, type SamplePair } from './sample.ts';
import type { PairSamples } from './signals.ts';
import { neededSteps, type ScenarioStep, stepsOf } from './steps.ts';

export type PairContext = Pick<VerifyContext, 'routes' | 'host' | 'random' | 'signal'>;

interface PairPlan {
  readonly control: Lane;
  readonly candidate: Lane;
  readonly services: readonly string[];
  readonly ingress: string;
  readonly scenarios: readonly Scenario[];
  readonly isSafe: IsSafe;
  /** Pairs that do not count: fresh processes have not compiled anything yet. */
  readonly warmUpPairs: number;
  readonly pairsMax: number;
  /** After this time it is enough unless something looks bad; after three times it always is. */
  readonly ms: number;
}

/** Decides on the samples so far, and on whether the time is over. */
type IsEnough = (sampled: PairSamples, isLate: boolean) => boolean;

const lookEveryPairs = 10;
const lateFactor = 3;

/** Sends pairs to both versions until it is enough, or the maximum is reached. */
export async function measurePairs(
  plan: PairPlan,
  isEnough: IsEnough,
  context: PairContext,
): Promise<PairSamples> {
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
): Promise<PairSamples> {
  const started = performance.now();
  const pairs: SamplePair[] = [];
  const sent: SamplePair[] = [];
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

/** All requests once, scenario by scenario; then only the relevant ones, again and again. */
async function* endlessly(
  plan: PairPlan,
  arms: Arms,
  sent: readonly SamplePair[],
): AsyncGenerator<ScenarioStep> {
  let scenarios = stepsOf(plan.scenarios, plan.isSafe);
  yield* once(scenarios, arms);
  // Including the warm-up, which does not count but shows where requests go.
  const relevant = relevantRequests(await look(arms, sent, plan));
  const reduced = scenarios.map((steps) =>
    neededSteps(steps, ({ request }) => relevant.has(request)),
  );
  // After a warm-up hardly anything was counted, so all requests stay.
  if (relevant.size > 0 || plan.warmUpPairs === 0) scenarios = reduced;
  while (scenarios.some((steps) => steps.length > 0)) yield* once(scenarios, arms);
}

function* once(
  scenarios: readonly (readonly ScenarioStep[])[],
  arms: Arms,
): Generator<ScenarioStep> {
  for (const steps of scenarios) {
    for (const arm of arms) arm.answers.clear();
    yield* steps;
  }
}

/** Requests that reached a changed service, on either version. */
function relevantRequests(sampled: PairSamples): ReadonlySet<ScenarioRequest> {
  const { pairs, control, candidate, services } = sampled;
  const reaches = (hops: readonly Hop[] = []): boolean =>
    hops.some(({ to }) => services.includes(to));
  const relevant = pairs.filter(
    (pair) => reaches(control.get(pair.control.id)) || reaches(candidate.get(pair.candidate.id)),
  );
  return new Set(relevant.map(({ request }) => request));
}

/** The order is random, which makes the sign of a difference a fair coin. */
async function samplePair(
  [control, candidate]: Arms,
  { request, number, carried }: ScenarioStep,
  random: RandomBytes,
): Promise<SamplePair | null> {
  const before = carryInto(request, carried, control.answers);
  const after = carryInto(request, carried, candidate.answers);
  // A request that one version can't be sent is no pair; its cause was already counted.
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
  pairs: readonly SamplePair[],
  { services, ingress }: PairPlan,
): Promise<PairSamples> {
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

const looksMax = 20;
const lookEveryMs = 5;

type ArmContext = Pick<VerifyContext, 'routes' | 'host'>;

/** One version while it is measured: its requests, their cost and their hops. */
class Arm {
  readonly lane: Lane;
  readonly hops: Hop[] = [];
  /** The answers of the current scenario, by the number of the request. */
  readonly answers = new Map<number, Json>();
  readonly #routes: Routes;
  readonly #sender: ScenarioSender;
  readonly #meter: Meter;
  #cpuNs: readonly number[];
  #lastHop: number;
  #sent = 0;

  private constructor(
    lane: Lane,
    { sender, meter, lastHop }: { sender: ScenarioSender; meter: Meter; lastHop: number },
    routes: Routes,
  ) {
    this.lane = lane;
    this.#routes = routes;
    this.#sender = sender;
    this.#meter = meter;
    this.#lastHop = lastHop;
    this.#cpuNs = meter.read().map(({ cpuNs }) => cpuNs);
  }

  /** `services`: those whose CPU time is read; the lane has its own copy of each. */
  static async open(lane: Lane, services: readonly string[], context: ArmContext): Promise<Arm> {
    const names = services.map(
      (service) => lane.candidates.find((one) => one.service === service)?.name ?? '',
    );
    const { host, routes } = context;
    const meter = await host.meter(names);
    const earlier = await routes.hops(lane.lane);
    const sender = new ScenarioSender(await routes.address(), lane.lane);
    return new Arm(lane, { sender, meter, lastHop: earlier.at(-1)?.n ?? 0 }, routes);
  }

  /** CPU time since the last request counts, so that work after an answer is included. */
  async send(request: ScenarioRequest, number: number): Promise<RequestSample> {
    const id = `${this.lane.lane}-${++this.#sent}`;
    const { status, body } = await this.#sender.send(request, id);
    this.answers.set(number, body);
    const now = this.#meter.read().map(({ cpuNs }) => cpuNs);
    const cpuUs = now.map((ns, index) => (ns - (this.#cpuNs[index] ?? 0)) / 1_000);
    this.#cpuNs = now;
    return { id, status, cpuUs };
  }

  /** Before the router drops them. It records the last request a little later than we see it. */
  async readHops(): Promise<void> {
    const last = `${this.lane.lane}-${this.#sent}`;
    for (let look = 0; look < looksMax; look++) {
      await this.#readHops();
      if (this.hops.some(({ requestId, from }) => from === null && requestId === last)) return;
      await delay(lookEveryMs);
    }
  }

  async #readHops(): Promise<void> {
    const fresh = await this.#routes.hops(this.lane.lane, this.#lastHop);
    this.#lastHop = fresh.at(-1)?.n ?? this.#lastHop;
    // Bodies are not needed here, and there are many.
    for (const hop of attributeOwnCalls(fresh))
      this.hops.push({ ...hop, requestBody: null, responseBody: null });
  }

  close(): void {
    this.#sender.close();
  }
}
