import { type RandomBytes, systemRandom } from '../kernel/index.ts';
import type { Hop, Lane } from '../lanes/index.ts';
import type { SuiteConfig } from '../system/index.ts';
import { withAskedFaults } from './asked-faults.ts';
import type { Answer, Recording } from './differences/index.ts';
import { laneLogs, markLogs, readSince } from './lane-logs.ts';
import { lookForRoutes, lookFromOutside, servedAnswers } from './outside-look.ts';
import { type DoorDeps, lookAtDoors } from './own-doors.ts';
import { runSuite, type SuiteRun } from './suite.ts';
import { type TargetDeps, targetOf } from './suite-target.ts';
import { type Scenario, scenarioOf } from './traffic/index.ts';
import { type WriteDeps, watchWrites } from './watched-writes.ts';

/** What one version did with all suites. */
export interface Side extends Recording {
  readonly runs: readonly SuiteRun[];
  /** The last hop of the lane when this was recorded, whosever it was. */
  readonly lastHop: number;
  readonly lastNth?: number;
  /** What there was too much of to look at all of it. */
  readonly dropped?: readonly string[];
  /** What the suites sent, of the first round. */
  readonly scenarios?: readonly Scenario[];
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
  /** Routes that the change names. */
  readonly literals?: readonly string[];
}

export interface RoundDeps extends Omit<TargetDeps, 'lanes'> {
  readonly lanes?: NonNullable<TargetDeps['lanes']> & WriteDeps['lanes'];
  readonly host: TargetDeps['host'] & DoorDeps['host'];
  readonly random?: RandomBytes;
  readonly tell?: (stage: string) => void;
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
  const last = before.at(-1);
  const control = await startSide(arms.control, arms, last?.control, deps);
  const candidate = await startSide(arms.candidate, arms, last?.candidate, deps);
  for (const [name, suite] of arms.suites) {
    const order = drawOrder(deps.random ?? systemRandom)
      ? [control, candidate]
      : [candidate, control];
    deps.tell?.(`running suite ${name}, round ${before.length + 1}`);
    for (const side of order) await side.run(name, suite);
  }
  return { control: await control.end(), candidate: await candidate.end() };
}

interface OpenSide {
  run(name: string, suite: SuiteConfig): Promise<void>;
  end(): Promise<Side>;
}

async function startSide(
  lane: Lane,
  { root, candidate, literals = [] }: Arms,
  before: Side | undefined,
  deps: RoundDeps,
): Promise<OpenSide> {
  const { routes, host, config } = deps;
  const runs: SuiteRun[] = [];
  const hops: Hop[] = [];
  const answers: Answer[] = [];
  const scenarios: Scenario[] = [];
  const isTaken = before === undefined && lane.lane !== candidate.lane;
  let lastHop = before?.lastHop ?? 0;
  const logs = laneLogs(lane, Object.keys(config.services), candidate);
  const marks = await markLogs(logs, host);
  const written = await watchWrites(lane, candidate, deps);
  let lastNth = before?.lastNth ?? 0;
  const dropped = new Set<string>();
  const newHops = async (): Promise<Hop[]> => {
    const all = await routes.hops(lane.lane);
    const fresh = withAskedFaults(all.filter(({ n }) => n > lastHop));
    lastHop = Math.max(lastHop, ...fresh.map(({ n }) => n));
    if ((fresh[0]?.nth ?? 0) > lastNth + 1) dropped.add('calls');
    lastNth = fresh.at(-1)?.nth ?? lastNth;
    return fresh;
  };
  return {
    async run(name, suite) {
      if (isTaken) await routes.take(lane.lane);
      runs.push(await runSuite(name, suite, await targetOf(lane, root, deps)));
      if (isTaken) scenarios.push(scenarioOf(name, await routes.taken(lane.lane)));
      const fresh = await newHops();
      hops.push(...fresh);
      answers.push(...(await lookFromOutside(lane, fresh, routes)));
      // What the look itself led to is no part of what the suite did.
      await newHops();
    },
    async end() {
      answers.push(...(await lookForRoutes(lane, { hops, literals }, routes)));
      await newHops();
      const { lines, dropped: unread } = await readSince(marks, logs, hops, host);
      return {
        runs,
        hops,
        answers,
        served: servedAnswers(hops),
        lastHop,
        ...(isTaken ? { scenarios } : {}),
        ...(await lookAtDoors(lane, candidate, deps)),
        ...(await written()),
        logs: lines,
        lastNth,
        dropped: [...dropped, ...unread],
      };
    },
  };
}

/** Whether the control goes first. */
function drawOrder(random: RandomBytes): boolean {
  return ((random(1)[0] ?? 0) & 1) === 0;
}
