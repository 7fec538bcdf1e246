import {
  type Act,
  type Actor,
  committedValue,
  fault,
  type JsonObject,
  type MakeIdentifier,
} from '../kernel/index.ts';
import {
  changeId,
  type Hop,
  type Lane,
  type Lanes,
  proveReach,
  type Routes,
  type Trees,
} from '../lanes/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Config, SuiteConfig } from '../system/index.ts';
import { runSuite, type SuiteRun } from './suite.ts';
import { judge, type Verdict } from './verdict.ts';
import { compareWire } from './wire.ts';

export interface VerifyDeps {
  readonly act: Act;
  readonly ledger: Ledger;
  readonly lanes: Lanes;
  readonly routes: Routes;
  readonly trees: Trees;
  readonly config: Config;
  readonly makeIdentifier: MakeIdentifier;
}

export interface VerifyRequest {
  readonly patch: string;
  readonly base: string;
  /** Which suites; all of them if left out. */
  readonly suites?: readonly string[] | undefined;
}

export type VerifiedChange = Verdict & {
  readonly id: string;
  readonly change: string;
  readonly base: string;
  readonly services: readonly string[];
};

/** The change in a lane, the baseline beside it, the same suites on both, one verdict. */
export async function verifyChange(
  actor: Actor,
  request: VerifyRequest,
  deps: VerifyDeps,
): Promise<VerifiedChange> {
  const suites = chooseSuites(deps.config, request.suites);
  const { patch, base } = request;
  const change = changeId({ patch, base });
  const id = deps.makeIdentifier('verdict');
  const proposal = { actor, tool: 'change.verify', arguments: { id, change, base, patch } };
  const outcome = await deps.act(proposal, async () => {
    const verified = await runInLanes(actor, request, suites, deps);
    const result: VerifiedChange = { id, change, base, ...verified };
    await record(actor, result, deps.ledger);
    return result as unknown as JsonObject;
  });
  return committedValue(outcome) as unknown as VerifiedChange;
}

async function runInLanes(
  actor: Actor,
  { patch, base }: VerifyRequest,
  suites: Suites,
  deps: VerifyDeps,
): Promise<Verdict & { services: readonly string[] }> {
  const opened: Lane[] = [];
  try {
    // The candidate first: a change that can't be taken costs no control lane.
    const candidate = await deps.lanes.open(actor, { patch, base });
    opened.push(candidate);
    const control = await deps.lanes.open(actor, { base });
    opened.push(control);
    const services = candidate.candidates.map(({ service }) => service);
    return { ...(await compare(control, candidate, suites, deps)), services };
  } finally {
    for (const { lane } of opened) await deps.lanes.close(actor, lane);
  }
}

async function compare(
  control: Lane,
  candidate: Lane,
  suites: Suites,
  deps: VerifyDeps,
): Promise<Verdict> {
  const runs = { control: [] as SuiteRun[], candidate: [] as SuiteRun[] };
  // Suites are taken from the base: a change can't weaken the checks that it is judged by.
  const { root } = await deps.trees.open(candidate.base);
  const baseUrl = await deps.routes.address();
  for (const [name, suite] of suites) {
    runs.control.push(await runSuite(name, suite, { baseUrl, root, headers: keyOf(control) }));
    runs.candidate.push(await runSuite(name, suite, { baseUrl, root, headers: keyOf(candidate) }));
  }
  const hops = await hopsOf(deps.routes, control, candidate);
  return judge({
    ...runs,
    hops: hops.candidate,
    reach: proveReach(candidate, hops.candidate),
    wire: compareWire(hops.control, hops.candidate),
    reproduce: (suite) => `surety verify <patch> --suite ${suite}`,
  });
}

async function hopsOf(
  routes: Routes,
  control: Lane,
  candidate: Lane,
): Promise<{ control: readonly Hop[]; candidate: readonly Hop[] }> {
  return {
    control: await routes.hops(control.lane),
    candidate: await routes.hops(candidate.lane),
  };
}

export function keyOf({ lane }: Lane): Record<string, string> {
  return { baggage: `surety-lane=${lane}` };
}

type Suites = readonly (readonly [string, SuiteConfig])[];

function chooseSuites({ suites }: Config, wanted: readonly string[] | undefined): Suites {
  const known = Object.keys(suites);
  for (const name of wanted ?? []) {
    if (!known.includes(name))
      throw fault('SUITE_UNKNOWN', { suite: name, known: known.join(', ') });
  }
  return (wanted ?? known).map((name) => [name, suites[name] as SuiteConfig]);
}

/** The facts on the chain, the whole verdict beside it. */
async function record(actor: Actor, verified: VerifiedChange, ledger: Ledger): Promise<void> {
  const { id, change, base, services, verdict, reason, checks } = verified;
  const value = verified as unknown as JsonObject;
  await ledger.append({
    kind: 'verdict-reached',
    actor,
    body: { verdict, id, change, base, services, reason, checks },
    contents: [{ name: 'verdict', subject: id, value }],
  });
}
