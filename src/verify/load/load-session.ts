import { systemRandom } from '../../kernel/index.ts';
import { type ScenarioStep, stepsOf } from '../measure/index.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import type { LanePair } from '../pipeline/lane-pair.ts';
import type { IsSafe, Scenario } from '../traffic/index.ts';
import { runBlock } from './block.ts';
import {
  type ConcurrentTrial,
  type PreparedSteps,
  sendBurst,
  stepsWithEffects,
} from './concurrent-requests.ts';
import { burstsOfRequest } from './conflicts.ts';
import type { BlockPair } from './degradation.ts';
import { LoadArm } from './load-arm.ts';
import { relevantSteps } from './relevant-steps.ts';

export interface LoadPlan {
  readonly lanes: LanePair;
  /** The changed services. */
  readonly services: readonly string[];
  readonly scenarios: readonly Scenario[];
  readonly isSafe: IsSafe;
}

export type SessionContext = Pick<
  VerifyContext,
  'routes' | 'host' | 'random' | 'onProgress' | 'signal'
>;

/** One start of both versions under load. */
export class LoadSession {
  readonly control: LoadArm;
  readonly #candidate: LoadArm;
  /** The steps of the scenarios that matter for the changed services. */
  readonly steps: readonly (readonly ScenarioStep[])[];
  readonly #context: SessionContext;
  /** All blocks so far. */
  readonly pairs: BlockPair[] = [];

  private constructor(
    arms: readonly [LoadArm, LoadArm],
    steps: readonly (readonly ScenarioStep[])[],
    context: SessionContext,
  ) {
    [this.control, this.#candidate] = arms;
    this.steps = steps;
    this.#context = context;
  }

  static async open(plan: LoadPlan, context: SessionContext): Promise<LoadSession> {
    const { lanes, services, scenarios, isSafe } = plan;
    const safe = stepsOf(scenarios, isSafe).filter((one) => one.length > 0);
    const opened: LoadArm[] = [];
    const open = async (lane: LanePair['control']): Promise<LoadArm> => {
      const arm = await LoadArm.open(lane, services, context);
      opened.push(arm);
      return arm;
    };
    try {
      const arms = [await open(lanes.control), await open(lanes.candidate)] as const;
      return new LoadSession(arms, await relevantSteps(arms[0], safe, services), context);
    } catch (error) {
      // Otherwise a debugger stays in the processes.
      await Promise.all(opened.map((arm) => arm.close()));
      throw error;
    }
  }

  get isLate(): boolean {
    return this.#context.signal?.aborted === true;
  }

  /** Blocks with so many concurrent clients, on both versions in turn. */
  async runPairs(clients: number, times: number): Promise<BlockPair[]> {
    this.#context.onProgress?.(`load: ${clients} concurrent clients`);
    const pairs: BlockPair[] = [];
    for (let n = 0; n < times && !this.isLate; n++) {
      const [control, candidate] = await this.both((arm) => runBlock(arm, this.steps, clients));
      pairs.push({ control, candidate });
    }
    this.pairs.push(...pairs);
    return pairs;
  }

  /** Sends each request that has an effect several times at once. */
  async sendConcurrently(
    wanted: readonly PreparedSteps[] = stepsWithEffects(this.steps),
  ): Promise<ConcurrentTrial[]> {
    this.#context.onProgress?.('load: concurrent requests');
    const all: ConcurrentTrial[] = [];
    for (const steps of wanted) {
      const bursts = [];
      for (let n = 0; n < burstsOfRequest && !this.isLate; n++) {
        bursts.push(await this.both((arm) => sendBurst(arm, steps)));
      }
      const [control, candidate] = [bursts.map(([one]) => one), bursts.map(([, one]) => one)];
      all.push({ steps, control, candidate });
    }
    return all;
  }

  async close(): Promise<void> {
    await Promise.all([this.control.close(), this.#candidate.close()]);
  }

  /** On both versions, in random order. */
  async both<Value>(work: (arm: LoadArm) => Promise<Value>): Promise<readonly [Value, Value]> {
    const { random = systemRandom } = this.#context;
    if (((random(1)[0] ?? 0) & 1) === 0) {
      const control = await work(this.control);
      return [control, await work(this.#candidate)];
    }
    const candidate = await work(this.#candidate);
    return [await work(this.control), candidate];
  }
}
