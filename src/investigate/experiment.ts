import { join } from 'node:path';
import { type Act, type Actor, committedValue } from '../kernel/index.ts';
import { attributeOwnCalls, type Hop, type Lane } from '../lanes/index.ts';
import { type ActiveProbe, type Capture, type ProbeDeps, placeProbe } from '../probes/index.ts';
import { runSuites, type VerifyContext } from '../verify/index.ts';
import type { ChangedPlace } from './api-schema.ts';
import type { CauseSide } from './cause.ts';

export const investigator: Actor = 'surety:investigate';

export interface ExperimentDeps extends VerifyContext, ProbeDeps {
  readonly act: Act;
}

/** One side: a process to look into, and a lane whose requests reach it. */
export interface Setup {
  readonly lane: Lane;
  readonly pid: number;
  /** The top of the checkout that the process runs. */
  readonly top: string;
  readonly line: number;
  /** The version whose suites are run. */
  readonly base: string;
}

const probeMs = 120_000;
const hitsMax = 50;

/** Watches the place while the suites run; what is found is evidence of the runtime's own. */
export async function observe(
  place: ChangedPlace,
  setup: Setup,
  deps: ExperimentDeps,
): Promise<CauseSide & { hops: readonly Hop[] }> {
  const request = {
    pid: setup.pid,
    file: join(setup.top, place.file),
    line: setup.line,
    expressions: [...place.names],
    hitsMax,
    ttlMs: probeMs,
  };
  const captures: Capture[] = [];
  let runs: CauseSide['runs'] = [];
  const proposal = { actor: investigator, tool: 'probe.place', arguments: { ...request } };
  const outcome = await deps.act(proposal, async () => {
    const probe = await placeProbe(request, deps);
    try {
      runs = await runSuites(setup.lane, setup.base, deps);
    } finally {
      await probe.remove();
    }
    captures.push(...(await collect(probe)));
    const { certificate } = await probe.remove();
    return { certificate, captures };
  });
  committedValue(outcome);
  return { runs, captures, hops: attributeOwnCalls(await deps.routes.hops(setup.lane.lane)) };
}

async function collect(probe: ActiveProbe): Promise<Capture[]> {
  const captures: Capture[] = [];
  for await (const capture of probe.captures()) captures.push(capture);
  return captures;
}
