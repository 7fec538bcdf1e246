import { type RandomBytes, systemRandom } from '../kernel/index.ts';
import type { Hop, Lane, Routes } from '../lanes/index.ts';
import type { SuiteConfig } from '../system/index.ts';
import { runSuite, type SuiteRun } from './suite.ts';
import { targetOf } from './suite-target.ts';

/** What one version did with all suites. */
export interface Side {
  readonly runs: readonly SuiteRun[];
  readonly hops: readonly Hop[];
}

/** The same suites on both versions. */
export interface Round {
  readonly control: Side;
  readonly candidate: Side;
}

export interface Arms {
  readonly control: Lane;
  readonly candidate: Lane;
  /** Where the suites are. */
  readonly root: string;
  readonly suites: readonly (readonly [string, SuiteConfig])[];
}

interface RoundDeps {
  readonly routes: Routes;
  readonly random?: RandomBytes;
}

/**
 * Suite by suite on both versions, one right after the other: what else this machine does meanwhile
 * happens to both. Which goes first is drawn by lot, so that neither always finds it warmed up.
 */
export async function runRound(
  arms: Arms,
  before: readonly Round[],
  deps: RoundDeps,
): Promise<Round> {
  const runs = { control: [] as SuiteRun[], candidate: [] as SuiteRun[] };
  for (const [name, suite] of arms.suites) {
    for (const arm of drawOrder(deps.random ?? systemRandom)) {
      const target = await targetOf(arms[arm], arms.root, deps.routes);
      runs[arm].push(await runSuite(name, suite, target));
    }
  }
  const side = async (arm: 'control' | 'candidate'): Promise<Side> => {
    const seen = before.flatMap((round) => round[arm].hops);
    return { runs: runs[arm], hops: await newHops(arms[arm], seen, deps.routes) };
  };
  return { control: await side('control'), candidate: await side('candidate') };
}

function drawOrder(random: RandomBytes): readonly ('control' | 'candidate')[] {
  const isControlFirst = ((random(1)[0] ?? 0) & 1) === 0;
  return isControlFirst ? ['control', 'candidate'] : ['candidate', 'control'];
}

async function newHops({ lane }: Lane, seen: readonly Hop[], routes: Routes): Promise<Hop[]> {
  const last = Math.max(0, ...seen.map(({ n }) => n));
  return (await routes.hops(lane)).filter(({ n }) => n > last);
}
