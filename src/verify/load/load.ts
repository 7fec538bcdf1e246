import { type RandomBytes, systemRandom } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import type { Difference } from '../differences/index.ts';
import type { LanePair } from '../lane-pair.ts';
import { type Step, stepsOf } from '../measure/index.ts';
import type { IsSafe, Scenario } from '../traffic/index.ts';
import { runBlock } from './block.ts';
import { type BlockPair, findLeak, findStrain, type Strain } from './judge-load.ts';
import { LoadArm, type LoadArmDeps } from './load-arm.ts';
import { leakRemark, strainDifference } from './tell-load.ts';

export interface LoadPlan {
  readonly lanes: LanePair;
  /** The changed ones. */
  readonly services: readonly string[];
  readonly scenarios: readonly Scenario[];
  readonly isSafe: IsSafe;
}

export interface LoadDeps extends LoadArmDeps {
  readonly random?: RandomBytes;
  readonly tell?: (stage: string) => void;
  /** Aborts when the time is up: then no further block is run. */
  readonly signal?: AbortSignal;
}

export interface LoadResult {
  readonly differences: readonly Difference[];
  readonly remarks: readonly string[];
  /** Of requests that show what was found. */
  readonly shown: readonly Hop[];
  /** Why it can't be said that it bears the load. */
  readonly undecided: readonly string[];
}

const tooLate = 'the time was up before it was put under all of the load';

/** Clients that come at once, step by step; each step on both versions in turn. */
const ramp = [2, 6, 12, 24] as const;
const pairsOfStep = 3;

/** More and more clients at once, until something gives; what gives is tried once more. */
export async function putLoad(plan: LoadPlan, deps: LoadDeps): Promise<LoadResult> {
  const { lanes, services, scenarios, isSafe } = plan;
  const steps = stepsOf(scenarios, isSafe).filter((one) => one.length > 0);
  const arms = {
    control: await LoadArm.open(lanes.control, services, deps),
    candidate: await LoadArm.open(lanes.candidate, services, deps),
  };
  const isLate = (): boolean => deps.signal?.aborted === true;
  const all: BlockPair[] = [];
  const runPairs = async (clients: number): Promise<BlockPair[]> => {
    deps.tell?.(`load: ${clients} clients at once`);
    const pairs: BlockPair[] = [];
    for (let n = 0; n < pairsOfStep && !isLate(); n++) {
      pairs.push(await runPair(arms, steps, clients, deps));
    }
    all.push(...pairs);
    return pairs;
  };
  try {
    for (const clients of ramp) {
      const strained = await findTwice(clients, runPairs);
      if (isLate()) return { differences: [], remarks: [], shown: [], undecided: [tooLate] };
      if (strained) return tellStrain(strained, services);
    }
    return tellLeak(all, services);
  } finally {
    arms.control.close();
    arms.candidate.close();
  }
}

interface Strained {
  readonly strain: Strain;
  readonly pairs: readonly BlockPair[];
}

async function findTwice(
  clients: number,
  runPairs: (clients: number) => Promise<BlockPair[]>,
): Promise<Strained | null> {
  const first = await runPairs(clients);
  if (!findStrain(first)) return null;
  const again = await runPairs(clients);
  const strain = findStrain(again) && findStrain([...first, ...again]);
  return strain && { strain, pairs: [...first, ...again] };
}

interface Arms {
  readonly control: LoadArm;
  readonly candidate: LoadArm;
}

/** Which goes first is drawn by lot. */
async function runPair(
  { control, candidate }: Arms,
  steps: readonly (readonly Step[])[],
  clients: number,
  { random = systemRandom }: LoadDeps,
): Promise<BlockPair> {
  if (((random(1)[0] ?? 0) & 1) === 0) {
    const first = await runBlock(control, steps, clients);
    return { control: first, candidate: await runBlock(candidate, steps, clients) };
  }
  const first = await runBlock(candidate, steps, clients);
  return { control: await runBlock(control, steps, clients), candidate: first };
}

function tellStrain({ strain, pairs }: Strained, services: readonly string[]): LoadResult {
  const { difference, shown } = strainDifference(strain, pairs, services);
  return { differences: [difference], remarks: [], shown, undecided: [] };
}

/** What grows may be a heap that finds its size: that is told, and fails nothing. */
function tellLeak(pairs: readonly BlockPair[], services: readonly string[]): LoadResult {
  const leak = findLeak(pairs, services.length);
  const held = `held under load of up to ${ramp.at(-1)} clients at once like before`;
  const remarks = leak ? [held, leakRemark(leak, services)] : [held];
  return { differences: [], remarks, shown: [], undecided: [] };
}
