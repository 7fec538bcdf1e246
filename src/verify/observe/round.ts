import { type RandomBytes, systemRandom } from '../../kernel/index.ts';
import type { Hop, Lane, Routes } from '../../lanes/index.ts';
import type { SuiteConfig } from '../../system/index.ts';
import type { Answer, Recording } from '../compare/index.ts';
import { runSuite, type SuiteRun } from '../suites/run-suite.ts';
import { type TargetDeps, targetOf } from '../suites/suite-target.ts';
import { type Scenario, scenarioOf } from '../traffic/index.ts';
import { laneLogs, markLogs, readSince } from './lane-logs.ts';
import { type DoorDeps, lookAtDoors } from './open-ports.ts';
import { lookForRoutes, lookFromOutside, servedAnswers } from './outside-scan.ts';
import { type MakeReplay, replayOn, type SentBySuites } from './replay.ts';
import { withAskedFaults } from './requested-faults.ts';
import { type WriteDeps, watchWrites } from './write-watch.ts';

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
  /** Suites of which that was not kept. */
  readonly untaken?: readonly string[];
  /** What was recorded of the baseline, and sent after them. */
  readonly replayed?: readonly Scenario[];
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
  /** What else is sent, once it is known what suites send. */
  readonly replay?: MakeReplay;
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
  for (const scenario of arms.replay?.(control.sent()).scenarios ?? []) {
    const isControlFirst = drawOrder(deps.random ?? systemRandom);
    deps.tell?.(`sending other requests, round ${before.length + 1}`);
    for (const side of isControlFirst ? [control, candidate] : [candidate, control]) {
      await side.replay(scenario);
    }
  }
  return { control: await control.end(), candidate: await candidate.end() };
}

interface OpenSide {
  run(name: string, suite: SuiteConfig): Promise<void>;
  sent(): SentBySuites;
  replay(scenario: Scenario): Promise<void>;
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
  const sent: Sent = { scenarios: [], untaken: [] };
  const replayed: Scenario[] = [];
  const ofReplay: Hop[] = [];
  const isTaken = before === undefined && lane.lane !== candidate.lane;
  const reader = new HopReader(lane, before, routes);
  const newHops = (): Promise<Hop[]> => reader.read();
  const logs = laneLogs(lane, Object.keys(config.services), candidate);
  const marks = await markLogs(logs, host);
  const written = await watchWrites(lane, candidate, deps);
  return {
    async run(name, suite) {
      const isMeasured = isTaken && suite.measured !== false;
      if (isMeasured) await routes.take(lane.lane);
      runs.push(await runSuite(name, suite, await targetOf(lane, root, deps)));
      if (isMeasured) note(sent, name, await routes.taken(lane.lane));
      const fresh = await newHops();
      hops.push(...fresh);
      answers.push(...(await lookFromOutside(lane, fresh, routes)));
      // What the look itself led to is no part of what the suite did.
      await newHops();
    },
    sent: () => ({ scenarios: sent.scenarios, hops }),
    async replay(scenario) {
      await replayOn(lane, scenario, routes);
      replayed.push(scenario);
      const fresh = await newHops();
      hops.push(...fresh);
      ofReplay.push(...fresh);
    },
    async end() {
      answers.push(...(await lookFromOutside(lane, ofReplay, routes)));
      answers.push(...(await lookForRoutes(lane, { hops, literals }, routes)));
      await newHops();
      const { lines, dropped: unread } = await readSince(marks, logs, hops, host);
      return {
        runs,
        hops,
        answers,
        served: servedAnswers(hops),
        ...reader.last,
        ...(isTaken ? { ...sent, replayed } : {}),
        ...(await lookAtDoors(lane, candidate, deps)),
        ...(await written()),
        logs: lines,
        dropped: [...reader.dropped, ...unread],
      };
    },
  };
}

interface Sent {
  readonly scenarios: Scenario[];
  readonly untaken: string[];
}

function note(sent: Sent, name: string, taken: Awaited<ReturnType<Routes['taken']>>): void {
  if (taken === null) sent.untaken.push(name);
  else sent.scenarios.push(scenarioOf(name, taken));
}

/** Each hop of a lane once, and whether the router had to drop some before they were read. */
class HopReader {
  readonly dropped = new Set<string>();
  readonly #read: () => Promise<readonly Hop[]>;
  #lastHop: number;
  #lastNth: number;

  constructor({ lane }: Lane, before: Side | undefined, routes: RoundDeps['routes']) {
    this.#read = () => routes.hops(lane);
    this.#lastHop = before?.lastHop ?? 0;
    this.#lastNth = before?.lastNth ?? 0;
  }

  get last(): { readonly lastHop: number; readonly lastNth: number } {
    return { lastHop: this.#lastHop, lastNth: this.#lastNth };
  }

  async read(): Promise<Hop[]> {
    const all = await this.#read();
    const fresh = withAskedFaults(all.filter(({ n }) => n > this.#lastHop));
    this.#lastHop = Math.max(this.#lastHop, ...fresh.map(({ n }) => n));
    if ((fresh[0]?.nth ?? 0) > this.#lastNth + 1) this.dropped.add('calls');
    this.#lastNth = fresh.at(-1)?.nth ?? this.#lastNth;
    return fresh;
  }
}

/** Whether the control goes first. */
function drawOrder(random: RandomBytes): boolean {
  return ((random(1)[0] ?? 0) & 1) === 0;
}
