import {
  type Act,
  type Actor,
  canonicalJson,
  committedValue,
  type Json,
  sha256,
} from '../kernel/index.ts';
import { attributeOwnCalls, type Hop, type Lane } from '../lanes/index.ts';
import { type ActiveProbe, type Capture, type ProbeDeps, placeProbe } from '../probes/index.ts';
import { runSuites, type SuiteRun, type VerifyContext } from '../verify/index.ts';

export const investigator: Actor = 'surety:investigate';

export interface ObserveDeps extends VerifyContext, ProbeDeps {
  readonly act: Act;
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
  const placed = new Map<ProbePoint, ActiveProbe>();
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
    await Promise.all([...placed].map(([point, probe]) => end(point, lane, probe, deps)));
  }
  const captures = new Map([...placed].map(([{ key }, probe]) => [key, probe.captures.kept]));
  const probes = [...placed.values()].map(({ id }) => id);
  const hops = attributeOwnCalls(await deps.routes.hops(lane.lane));
  return { runs, captures, refusals, probes, hops };
}

async function place(
  { service, pid, file, line, expressions }: ProbePoint,
  { lane }: Lane,
  deps: ObserveDeps,
): Promise<ActiveProbe> {
  const request = {
    pids: [pid],
    file,
    line,
    expressions: [...expressions],
    hitsMax,
    ttlMs: probeMs,
  };
  let probe: ActiveProbe | undefined;
  const proposal = {
    actor: investigator,
    tool: 'probe.place',
    arguments: { ...request, service, lane },
  };
  const outcome = await deps.act(proposal, async () => {
    probe = await placeProbe(request, deps);
    return { probe: probe.id };
  });
  committedValue(outcome);
  return probe as ActiveProbe;
}

/** Recorded as the probes of people are, so that `surety probe show` finds it. */
async function end(
  { service, file, line }: ProbePoint,
  { lane }: Lane,
  probe: ActiveProbe,
  { ledger }: ObserveDeps,
): Promise<void> {
  const { reason, hits, certificate } = await probe.remove();
  const ended = { reason, at: certificate.endedAt, certificate: certificate as Json };
  const value = {
    probe: probe.id,
    kind: 'snapshot',
    service,
    lane,
    file,
    line,
    function: probe.instances()[0]?.place?.function ?? '',
    owner: investigator,
    reason: 'investigation',
    placedAt: probe.placedAt,
    expiresAt: probe.expiresAt,
    instances: probe.instances(),
    ended,
    captures: probe.captures.kept,
  } as Json;
  const hash = sha256(canonicalJson(certificate as Json));
  const body = { probe: probe.id, service, lane, reason, hits, certificate: hash };
  const contents = [{ name: 'probe', subject: probe.id, value }];
  await ledger.append({ kind: 'probe-ended', actor: investigator, body, contents });
}
