import { setTimeout as delay } from 'node:timers/promises';
import { formatConfinement } from '../../confinement/index.ts';
import { type Actor, committedValue } from '../../kernel/index.ts';
import { changeId, type LaneUse } from '../../lanes/index.ts';
import type { Config, UnexecutedRule } from '../../system/index.ts';
import type { Dispute, Verdict, VerifiedChange } from '../api-schema.ts';
import { type Calibration, readCalibration } from '../history/calibration/index.ts';
import type { VerificationCost } from '../history/costs.ts';
import { activeDisputes } from '../history/disputes.ts';
import { shinglesOf, shinglesToStore } from '../history/failed-changes.ts';
import { judgedContent } from '../history/judged-changes.ts';
import { noObservation } from '../judge/equivalent-configuration.ts';
import { boundVerdict } from '../judge/fit-verdict.ts';
import { findUnneededHunks } from '../judge/unneeded-hunks.ts';
import type { ChangeCoverage } from '../line-coverage/api-schema.ts';
import { checkSuites } from '../suites/suite-selection.ts';
import type { VerifyContext } from './context.ts';
import type { Progress } from './progress.ts';
import { diffOf, type VerifyRequest } from './request.ts';
import { runVerification, type ServiceVerdict } from './run.ts';

/** Verifies a change without a task, as a person does at the command line. */
export async function verifyChange(
  actor: Actor,
  request: VerifyRequest,
  context: VerifyContext,
): Promise<VerifiedChange> {
  checkSuites(context.config, request.suites ?? []);
  const { patch, base } = request;
  const facts = { change: changeId({ patch, base }), base };
  const proposal = { actor, tool: 'change.verify', facts, arguments: { patch, base } };
  const outcome = await context.act(proposal, () => verifyAndRecord(actor, request, context));
  return committedValue(outcome);
}

/** If wanted, also looks for hunks that a change which passed does not need. */
async function runAndFindUnneeded(
  request: VerifyRequest,
  context: VerifyContext,
): Promise<ServiceVerdict> {
  const reached = await runVerification(request, context);
  if (!request.unnecessary || reached.verdict !== 'pass') return reached;
  const unneeded = await findUnneededHunks(request, context);
  return { ...reached, notices: [...unneeded, ...reached.notices] };
}

/** Only findings that the ledger knows can be disputed. */
const findingsKeptMax = 50;

/** Runs the verification and records its verdict, for a task if there is one. */
export async function verifyAndRecord(
  actor: Actor,
  request: VerifyRequest & { readonly task?: string },
  context: VerifyContext,
): Promise<VerifiedChange> {
  context.confinement.check(actor);
  const { patch, base, task, test } = request;
  const id = context.makeIdentifier('verdict');
  const change = changeId({ patch, base });
  // Before the run, which measures a change only if it has no finding that counts.
  const active = await activeDisputes(context.ledger, context.clock.now());
  const disputes = [...intendedFindings(request, actor), ...active];
  // Before the run, so that no verdict is lost because one of them fails after it.
  const diff = await diffOf(request, context.lanes);
  const omissions = await omissionsOf(request, context);
  const begun = { verdict: id, actor, change };
  const { reached, cost } = await runAndCount(begun, request, {
    ...context,
    disputes,
    requestedBy: actor,
  });
  const excused = excusedFindings(reached);
  const counted = reached.findings.map((finding) => finding.id);
  const findings = [...counted, ...Object.values(excused).flat()].slice(0, findingsKeptMax);
  const { ref } = request;
  const facts = { id, change, base, by: actor, ...(ref ? { ref } : {}) };
  const circumstances = await circumstancesOf(reached, context);
  const verified: VerifiedChange = boundVerdict({ ...reached, ...facts, ...circumstances });
  const { services, verdict, reason, checks, coverage } = verified;
  const failed = verdict === 'fail' ? shinglesToStore(shinglesOf(diff)) : null;
  await context.ledger.append({
    kind: 'verdict-reached',
    actor,
    body: {
      verdict,
      id,
      change,
      base,
      services,
      reason,
      checks,
      findings,
      ...(coverage ? { coverage: briefCoverage(coverage) } : {}),
      cost,
      ...excused,
      ...(failed ? { shingles: failed } : {}),
      ...(task ? { task } : {}),
      ...omissions,
    },
    contents: [
      { name: 'verdict', subject: id, value: verified },
      // Stored with the verdict, so that its readers can reproduce it.
      { name: judgedContent, subject: change, value: { patch, base, ...(test ? { test } : {}) } },
    ],
  });
  return verified;
}

/** A pass says nothing of other suites, or of recorded traffic that was not sent. */
async function omissionsOf(
  { suites, recorded }: Pick<VerifyRequest, 'suites' | 'recorded'>,
  context: Pick<VerifyContext, 'recorded'>,
) {
  const isLeftOut = recorded === false && (await hasRecorded(context));
  return { ...(suites ? { suites: [...suites] } : {}), ...(isLeftOut ? { recorded } : {}) };
}

/** What can't be read may contain requests. */
async function hasRecorded({ recorded }: Pick<VerifyContext, 'recorded'>): Promise<boolean> {
  if (!recorded) return false;
  return recorded().then(
    ({ scenarios }) => scenarios.length > 0,
    () => true,
  );
}

/** Like disputes of this verdict alone: the same findings still fail every other change. */
function intendedFindings({ intended }: Pick<VerifyRequest, 'intended'>, owner: Actor): Dispute[] {
  if (!intended) return [];
  const { findings, reason } = intended;
  return findings.map((finding) => ({ finding, owner, reason, until: 0 }));
}

/** A verdict lapses with the disputes that it rests on, and not with what the change intends. */
function excusedFindings({ disputed: all = [] }: Pick<Verdict, 'disputed'>) {
  const disputed = all.filter(({ until }) => until > 0).map(({ finding }) => finding);
  const intended = all.filter(({ until }) => until === 0).map(({ finding }) => finding);
  return {
    ...(disputed.length > 0 ? { disputed } : {}),
    ...(intended.length > 0 ? { intended } : {}),
  };
}

/** A verdict may be wrong, so it states how often that happens here. */
async function circumstancesOf(
  { profile, services }: ServiceVerdict,
  { ledger, clock, confinement }: VerifyContext,
) {
  const at = clock.now();
  const known = await readCalibration(ledger, { profile, services: services.length }, at);
  const calibration = known && brief(known);
  return { at, confinement: formatConfinement(confinement.facts()), calibration };
}

/** A person reads what was not executed; an agent would take a pass for a proof. */
function unexecutedRule(actor: Actor, { verify }: Pick<Config, 'verify'>): UnexecutedRule {
  return verify.unexecuted ?? (actor.startsWith('agent:') ? 'inconclusive' : 'notice');
}

function brief({ alarms: _, doubts: __, cpuRatios: ___, ...calibration }: Calibration) {
  return calibration;
}

/** What the ledger shows without the verdict itself. */
function briefCoverage({ status, lines, ran }: ChangeCoverage) {
  return { status, lines, ran };
}

interface CountedRun {
  readonly reached: ServiceVerdict;
  readonly cost: VerificationCost;
}

async function runAndCount(
  begun: Parameters<Progress['during']>[0],
  request: VerifyRequest,
  context: VerifyContext,
): Promise<CountedRun> {
  const { clock, config, progress, signal } = context;
  const startedAt = clock.now();
  const uses: LaneUse[] = [];
  const unexecuted = unexecutedRule(begun.actor, config);
  const { undistinguished } = config.verify;
  const more = { onUse: (use: LaneUse) => uses.push(use), unexecuted, undistinguished };
  const run = progress.during(
    begun,
    (onProgress) => runAndFindUnneeded(request, { ...context, ...more, onProgress }),
    signal,
  );
  const reached = await withDeadline(run, request, context);
  return { reached, cost: totalCost(uses, clock.now() - startedAt) };
}

function totalCost(uses: readonly LaneUse[], verdictMs: number): VerificationCost {
  const sum = (of: (use: LaneUse) => number): number => uses.reduce((all, use) => all + of(use), 0);
  return {
    lanes: uses.length,
    cpuMs: sum(({ cpuMs }) => cpuMs),
    memoryMbSeconds: sum(({ memoryMbSeconds }) => memoryMbSeconds),
    verdictMs,
  };
}

/** How long a run may take to end by itself after the deadline. */
const graceMs = 5_000;

/**
 * At the deadline suites are ended, and the run reports what it knows by then. It does not wait for
 * what can't be ended, such as a service that is starting: that ends with its lane.
 */
async function withDeadline(
  run: Promise<ServiceVerdict | null>,
  request: VerifyRequest,
  { signal, lanes }: Pick<VerifyContext, 'signal' | 'lanes'>,
): Promise<ServiceVerdict> {
  const over = new AbortController();
  const late = signal ? [graceAfter(signal, over.signal)] : [];
  try {
    const ended = await Promise.race([run, ...late]);
    if (ended !== null) return ended;
    run.catch(() => undefined);
    const { services } = await lanes.factsOf(request).catch(() => ({ services: [] }));
    return { ...unfinished(request), services };
  } finally {
    over.abort();
  }
}

/** Resolves to null after the deadline and the grace period, unless the run has ended before. */
async function graceAfter(signal: AbortSignal, over: AbortSignal): Promise<null> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
  await promise;
  await delay(graceMs, undefined, { signal: over }).catch(() => undefined);
  return null;
}

function unfinished({ profile = 'quick' }: VerifyRequest): Verdict {
  const reason = 'the deadline passed before the verification was complete';
  return { verdict: 'inconclusive', reason, ...noObservation(profile, 'the deadline passed') };
}
