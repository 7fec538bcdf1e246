import type { Act, Actor } from '../kernel/index.ts';
import { attributeOwnCalls, type Hop, type Lane } from '../lanes/index.ts';
import type { Capture, ProbeDeps } from '../probes/index.ts';
import type { Config } from '../system/index.ts';
import {
  type LaneProbe,
  placeLaneProbe,
  runSuites,
  type SuiteRun,
  type VerifyContext,
} from '../verify/index.ts';

export const investigator: Actor = 'surety:investigate';

export interface ObserveDeps extends VerifyContext, ProbeDeps {
  readonly act: Act;
  /** How a version describes the system. */
  readonly configAt: (commit: string) => Promise<Config>;
  /** Only these: those that show the symptom. All if left out. */
  readonly suites?: readonly string[];
}

/** What to read, where. */
export interface ProbePoint {
  /** Names the place in the result. */
  readonly key: string;
  readonly service: string;
  readonly pid: number;
  /** The path in the repository: an end of the path that the process has loaded. */
  readonly file: string;
  readonly line: number;
  readonly expressions: readonly string[];
}

/** One side of an experiment: a lane whose requests reach the probed processes. */
export interface ObservedSide {
  readonly runs: readonly SuiteRun[];
  readonly captures: ReadonlyMap<string, readonly Capture[]>;
  /** Why nothing was read at a place. */
  readonly refusals: ReadonlyMap<string, string>;
  readonly probes: readonly string[];
  readonly hops: readonly Hop[];
}

/** The message of an error, in a report. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const probeMs = 120_000;
const hitsMax = 200;

/** Reads places while the suites run. Every probe is a proposal, with its certificate. */
export async function observe(
  lane: Lane,
  base: string,
  points: readonly ProbePoint[],
  deps: ObserveDeps,
  rounds = 1,
): Promise<ObservedSide> {
  const placed = new Map<ProbePoint, LaneProbe>();
  const refusals = new Map<string, string>();
  const runs: SuiteRun[] = [];
  try {
    for (const point of points) {
      const probe = await place(point, lane, deps).catch(reasonOf);
      if (typeof probe === 'string') refusals.set(point.key, probe);
      else placed.set(point, probe);
    }
    for (let round = 0; round < rounds; round++) {
      runs.push(...(await runSuites(lane, base, deps, deps.suites)));
    }
  } finally {
    await Promise.all([...placed.values()].map((one) => one.end()));
  }
  const captures = new Map([...placed].map(([{ key }, { probe }]) => [key, probe.captures.kept]));
  const probes = [...placed.values()].map(({ probe }) => probe.id);
  const hops = attributeOwnCalls(await deps.routes.hops(lane.lane));
  return { runs, captures, refusals, probes, hops };
}

function place(
  { service, pid, file, line, expressions }: ProbePoint,
  lane: Lane,
  deps: ObserveDeps,
): Promise<LaneProbe> {
  const point = { service, pids: [pid], file, line, expressions, hitsMax, ttlMs: probeMs };
  return placeLaneProbe({ actor: investigator, reason: 'investigation' }, point, lane, deps);
}
