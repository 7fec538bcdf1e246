import { systemRandom } from '../../kernel/index.ts';
import { type Step, stepsOf } from '../measure/index.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import type { LanePair } from '../pipeline/lane-pair.ts';
import type { IsSafe, Scenario } from '../traffic/index.ts';
import { type AtOnce, type Prepared, sendBurst, stepsAtOnce } from './at-once.ts';
import { runBlock } from './block.ts';
import { burstsOfStep } from './judge-at-once.ts';
import type { BlockPair } from './judge-load.ts';
import { LoadArm } from './load-arm.ts';
import { tellingSteps } from './telling-steps.ts';

export interface LoadPlan {
  readonly lanes: LanePair;
  /** The changed ones. */
  readonly services: readonly string[];
  readonly scenarios: readonly Scenario[];
  readonly isSafe: IsSafe;
}

export type StageContext = Pick<
  VerifyContext,
  'routes' | 'host' | 'random' | 'onProgress' | 'signal'
>;

/** One start of both versions, while they are put under load. */
export class Stage {
  readonly control: LoadArm;
  readonly #candidate: LoadArm;
  /** What of the scenarios comes to a changed service. */
  readonly steps: readonly (readonly Step[])[];
  readonly #context: StageContext;
  /** All blocks so far. */
  readonly pairs: BlockPair[] = [];

  private constructor(
    arms: readonly [LoadArm, LoadArm],
    steps: readonly (readonly Step[])[],
    context: StageContext,
  ) {
    [this.control, this.#candidate] = arms;
    this.steps = steps;
    this.#context = context;
  }

  static async open(plan: LoadPlan, context: StageContext): Promise<Stage> {
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
      return new Stage(arms, await tellingSteps(arms[0], safe, services), context);
    } catch (error) {
      // Else a debugger would be left in its processes.
      await Promise.all(opened.map((arm) => arm.close()));
      throw error;
    }
  }

  get isLate(): boolean {
    return this.#context.signal?.aborted === true;
  }

  /** So many clients at once, on either version in turn. */
  async runPairs(clients: number, times: number): Promise<BlockPair[]> {
    this.#context.onProgress?.(`load: ${clients} clients at once`);
    const pairs: BlockPair[] = [];
    for (let n = 0; n < times && !this.isLate; n++) {
      const [control, candidate] = await this.both((arm) => runBlock(arm, this.steps, clients));
      pairs.push({ control, candidate });
    }
    this.pairs.push(...pairs);
    return pairs;
  }

  /** Each request that does something, several times at once. */
  async sendAtOnce(wanted: readonly Prepared[] = stepsAtOnce(this.steps)): Promise<AtOnce[]> {
    this.#context.onProgress?.('load: the same requests at once');
    const all: AtOnce[] = [];
    for (const steps of wanted) {
      const bursts = [];
      for (let n = 0; n < burstsOfStep && !this.isLate; n++) {
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

  /** Which goes first is drawn by lot. */
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
