import { type Actor, committedValue } from '../kernel/index.ts';
import { type Lane, readDeployments } from '../lanes/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { runTest } from '../verify/index.ts';
import type { Cause, Investigation, InvestigationRequest, SuspectChange } from './api-schema.ts';
import { makeCase } from './case.ts';
import type { ExaminedCondition } from './conditions/configuration.ts';
import { examineConfiguration } from './conditions/configuration.ts';
import { examineDependencies } from './conditions/dependency.ts';
import { type InvestigationContext, readContext } from './context.ts';
import { findEffects } from './effects.ts';
import { type ExamineDeps, type ExaminedSuspect, examine, type LiveSide } from './examine.ts';
import { differenceOf } from './judge.ts';
import { investigator, type ObserveDeps, type ObservedSide, observe } from './observe.ts';
import { ownersOf, readCodeowners } from './owners.ts';
import type { QueryTelemetry } from './telemetry-ranking.ts';

export interface InvestigateDeps extends ObserveDeps {
  readonly ledger: Ledger;
  readonly queryTelemetry: QueryTelemetry;
}

/** From an alert or a question to a cause that captures confirm; or what is missing for that. */
export async function investigate(
  actor: Actor,
  request: InvestigationRequest,
  deps: InvestigateDeps,
): Promise<Investigation> {
  const { alert = null, question = null, incident = null } = request;
  const asked = { alert, question, incident };
  const proposal = { actor, tool: 'investigation.run', arguments: asked };
  const outcome = await deps.act(proposal, async () => {
    const investigation = await run(request, deps);
    await record(actor, investigation, deps.ledger);
    return investigation;
  });
  return committedValue(outcome);
}

async function run(request: InvestigationRequest, deps: InvestigateDeps): Promise<Investigation> {
  const startedAt = deps.clock.now();
  const context = await readContext(request, deps);
  const tested = await test(context.suspects, deps);
  return compose({ request, startedAt, context, ...tested }, deps);
}

interface TestedSuspects {
  readonly found: readonly ExaminedSuspect[];
  readonly conditions: readonly ExaminedCondition[];
  readonly cause: Cause;
  readonly regression: Investigation['regression'];
}

/** All lanes are closed at the end, however it ends. */
async function test(
  suspects: readonly SuspectChange[],
  deps: InvestigateDeps,
): Promise<TestedSuspects> {
  const version = await deps.baseline.version();
  const opened: Lane[] = [];
  const open: ExamineDeps['open'] = async (patch, services) => {
    const wanted = { base: version, services: [...services], transient: true };
    const lane = await deps.lanes.open(investigator, patch ? { ...wanted, patch } : wanted);
    opened.push(lane);
    return lane;
  };
  try {
    const lane = await open(undefined, []);
    const live = { version, lane, symptom: await observe(lane, version, [], deps) };
    const suites = failingSuites(live.symptom);
    const examining = { ...deps, open, suites };
    const found = await examineAll(suspects, live, examining);
    const isFound = suites.length === 0 || found.some(({ confirmed }) => confirmed);
    const conditions = isFound ? [] : await examineConditions(live, examining);
    const cause = await describeCause(found, conditions, live, examining);
    return { found, conditions, cause, regression: await proveCase(found, version, deps) };
  } finally {
    for (const { lane } of opened) await deps.lanes.close(investigator, lane);
  }
}

const failingSuites = ({ runs }: ObservedSide): string[] =>
  runs.filter(({ checks }) => checks.some(({ passed }) => !passed)).map(({ suite }) => suite);

/** SuspectChange after suspect, until one is confirmed. */
async function examineAll(
  suspects: readonly SuspectChange[],
  live: LiveSide,
  deps: ExamineDeps,
): Promise<ExaminedSuspect[]> {
  if (failingSuites(live.symptom).length === 0) return [];
  const all: ExaminedSuspect[] = [];
  for (const suspect of suspects) {
    all.push(await examine(suspect, live, deps));
    if (all.at(-1)?.confirmed) break;
  }
  return all;
}

/** What is no change of the code, from the cheapest to prove to the dearest. */
async function examineConditions(
  live: LiveSide,
  deps: ExamineDeps,
): Promise<readonly ExaminedCondition[]> {
  const down = await examineDependencies(live, deps);
  if (down.some(isConfirmed)) return down;
  return [...down, ...(await examineConfiguration(live, deps))];
}

const isConfirmed = ({ condition }: ExaminedCondition): boolean => condition.status === 'confirmed';

async function describeCause(
  found: readonly ExaminedSuspect[],
  conditions: readonly ExaminedCondition[],
  { version, symptom }: LiveSide,
  deps: InvestigateDeps,
): Promise<Cause> {
  const other = conditions.find(isConfirmed);
  if (other)
    return { ...noCause, confirmed: true, condition: other.condition, checks: [...other.checks] };
  const examined =
    found.find(({ confirmed }) => confirmed) ?? found.find(({ checks }) => checks.length > 0);
  const { confirmed = null, checks = [] } = examined ?? {};
  const missing =
    failingSuites(symptom).length > 0
      ? (examined?.missing ?? whyUnknown(found, conditions))
      : 'a request that shows the symptom: all checks of the suites pass on the running version';
  return {
    ...noCause,
    confirmed: confirmed !== null,
    place: confirmed?.place ?? null,
    separation: confirmed?.separations[0] ?? null,
    differences: confirmed?.separations.map((one) => differenceOf(one, confirmed.captures)) ?? [],
    effects: examined && confirmed ? await findEffects(examined, version, deps) : [],
    checks: [...checks],
    missing: confirmed ? null : missing,
  };
}

const noCause: Cause = {
  ...{ confirmed: false, condition: null, place: null, separation: null, missing: null },
  ...{ differences: [], effects: [], checks: [] },
};

function whyUnknown(
  found: readonly ExaminedSuspect[],
  conditions: readonly ExaminedCondition[],
): string {
  const open = conditions.find(({ condition }) => condition.status === 'open');
  if (open) return `${open.condition.statement}: ${open.condition.evidence.join('; ')}`;
  const what =
    found.length === 0
      ? 'there is no promoted change that could be the cause'
      : 'no promoted change ends the symptom when it is taken back';
  return `${what}; every service that was called answers, and no changed variable of surety.yaml explains it`;
}

/** A case counts when it fails on the bad version and passes on the good one. */
async function proveCase(
  found: readonly ExaminedSuspect[],
  version: string,
  deps: InvestigateDeps,
): Promise<Investigation['regression']> {
  const { lanes, sides } = found.find(({ confirmed }) => confirmed) ?? {};
  const made = lanes && sides ? makeCase(sides.control.hops, sides.healthy.hops) : null;
  if (!made || !lanes) return null;
  const test = { path: `${made.id}.mjs`, code: made.code };
  const fails = (await runTest(test, lanes.control, version, deps)).result === 'failed';
  const passes = (await runTest(test, lanes.healthy, version, deps)).result === 'passed';
  const contents = [{ name: 'code', subject: made.id, value: made.code }];
  const body = { case: made.id, fails, passes, commit: version };
  await deps.ledger.append({ kind: 'case-recorded', actor: investigator, body, contents });
  return { id: made.id, fails, passes };
}

interface Parts extends TestedSuspects {
  readonly request: InvestigationRequest;
  readonly startedAt: number;
  readonly context: InvestigationContext;
}

async function compose(
  { request, startedAt, context, found, conditions, cause, regression }: Parts,
  deps: InvestigateDeps,
): Promise<Investigation> {
  const examined = found.find(({ confirmed }) => confirmed);
  const { file = '' } = cause.place ?? {};
  const endedAt = deps.clock.now();
  return {
    id: deps.makeIdentifier('inv'),
    status: cause.confirmed ? 'confirmed' : 'unknown',
    question: request.question ?? null,
    alert: request.alert ?? null,
    incident: context.incident?.incident ?? null,
    startedAt,
    endedAt,
    suspect: examined?.suspect ?? null,
    cause,
    hypotheses: found.flatMap(({ hypotheses }) => hypotheses),
    conditions: conditions.map(({ condition }) => condition),
    ranking: context.ranking,
    timeline: await timelineOf(context, { startedAt, endedAt }, cause, deps),
    blastRadius: radiusOf(examined, cause),
    owners: await findOwners(file, context, deps),
    remedy: examined?.remedy ?? conditions.find(isConfirmed)?.remedy ?? '',
    unknown: [
      ...context.unknown,
      ...(cause.missing ? [cause.missing] : []),
      ...(cause.place && !regression ? ['no request can be made a regression case of'] : []),
    ],
    regression,
  };
}

const timelineMax = 20;

async function timelineOf(
  { alerts }: InvestigationContext,
  { startedAt, endedAt }: { startedAt: number; endedAt: number },
  { confirmed, place, condition }: Cause,
  { ledger }: InvestigateDeps,
): Promise<Investigation['timeline']> {
  const deployments = (await readDeployments(ledger)).slice(-timelineMax);
  const end = confirmed
    ? `confirmed ${condition ? condition.statement : `at ${place?.file}:${place?.line}`}`
    : 'ended without a confirmed cause';
  const moments = [
    ...deployments.map(({ at, kind, service, version, note }) => ({
      at,
      what: `${kind} of ${service || 'the system'} ${version.slice(0, 10)}${note ? `: ${note}` : ''}`,
    })),
    ...alerts.map(({ onset, alert, service }) => ({
      at: onset,
      what: `alert ${alert} of ${service || 'no service'}`,
    })),
    { at: startedAt, what: 'the investigation began' },
    { at: endedAt, what: `the investigation ${end}` },
  ];
  return moments.toSorted((left, right) => left.at - right.at);
}

/** The services on the way of the requests that fail. */
function radiusOf(
  examined: ExaminedSuspect | undefined,
  { checks }: Cause,
): Investigation['blastRadius'] {
  const hops = examined?.sides?.control.hops ?? [];
  const services = new Set(examined?.suspect.services ?? []);
  // Whoever calls an affected service is affected, too.
  for (let size = -1; size !== services.size; ) {
    size = services.size;
    for (const { from, to } of hops) if (from !== null && services.has(to)) services.add(from);
  }
  return { services: [...services].sort(), checks: checks.length };
}

async function findOwners(
  file: string,
  { incident }: InvestigationContext,
  deps: InvestigateDeps,
): Promise<string[]> {
  const owners = file === '' ? [] : ownersOf(file, await readCodeowners(deps));
  return owners.length === 0 && incident?.owner ? [incident.owner] : owners;
}

async function record(actor: Actor, investigation: Investigation, ledger: Ledger): Promise<void> {
  const { id, alert, question, incident, suspect, cause } = investigation;
  const { confirmed, missing, place, condition } = cause;
  const body = {
    investigation: id,
    alert,
    question,
    incident,
    // Only a confirmed one: what was merely suspected did not escape anybody.
    suspect: suspect && { commit: suspect.commit, services: [...suspect.services], by: suspect.by },
    confirmed,
    missing,
    condition: condition && { class: condition.class, service: condition.service },
    file: place?.file ?? null,
    line: place?.line ?? null,
  };
  const contents = [{ name: 'report', subject: id, value: investigation }];
  await ledger.append({ kind: 'investigation-closed', actor, body, contents });
}
