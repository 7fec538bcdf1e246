import {
  type Act,
  type Actor,
  type Clock,
  committedValue,
  fault,
  type JsonObject,
} from '../../kernel/index.ts';
import { changeId } from '../../lanes/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { type Calibration, readCalibration } from '../history/calibration/index.ts';
import { activeDisputes } from '../history/disputes.ts';
import { keptShingles, shinglesOf } from '../history/failed-changes.ts';
import { judgedContent } from '../history/judged-changes.ts';
import { boundVerdict } from '../judge/fit-verdict.ts';
import { findIdleHunks } from '../judge/unneeded-hunks.ts';
import type { Verdict } from '../judge/verdict.ts';
import { inTime, type Reached } from './deadline.ts';
import type { Progress } from './progress.ts';
import { type RunDeps, runVerification, type VerifyRequest } from './run.ts';
import { diffOf } from './subject.ts';

export interface VerifyDeps extends RunDeps {
  readonly act: Act;
  readonly ledger: Ledger;
  readonly progress: Progress;
  readonly clock: Clock;
}

export type VerifiedChange = Verdict & {
  readonly id: string;
  readonly change: string;
  readonly base: string;
  readonly services: readonly string[];
  readonly calibration: Omit<Calibration, 'alarms' | 'doubts' | 'cpuRatios'> | null;
};

/** For a person at the command line: no task, no phases, the same verdict. */
export async function verifyChange(
  actor: Actor,
  request: VerifyRequest,
  deps: VerifyDeps,
): Promise<VerifiedChange> {
  checkSuites(deps, request.suites ?? []);
  const { patch, base } = request;
  const facts = { change: changeId({ patch, base }), base };
  const proposal = { actor, tool: 'change.verify', facts, arguments: { patch, base } };
  const outcome = await deps.act(proposal, async () => {
    const verified = await verifyAndRecord(actor, request, deps);
    return verified as unknown as JsonObject;
  });
  return committedValue(outcome) as unknown as VerifiedChange;
}

/** Of a change that passed, also what it does not need, where somebody wants to know. */
async function runAndThin(request: VerifyRequest, deps: RunDeps): Promise<Reached> {
  const reached = await runVerification(request, deps);
  if (!request.unnecessary || reached.verdict !== 'pass') return reached;
  const idle = await findIdleHunks(request, deps);
  return { ...reached, notices: [...idle, ...reached.notices] };
}

/** Whoever disputes one has seen it among these. */
const findingsKeptMax = 50;

/** Runs the verification and puts its verdict on the chain, for a task if there is one. */
export async function verifyAndRecord(
  actor: Actor,
  request: VerifyRequest & { readonly task?: string },
  deps: Omit<VerifyDeps, 'act'>,
): Promise<VerifiedChange> {
  const { patch, base, task, test } = request;
  const id = deps.makeIdentifier('verdict');
  const change = changeId({ patch, base });
  // Before the run: it decides what else is looked at.
  const disputes = await activeDisputes(deps.ledger, deps.clock.now());
  // Neither is a verdict lost because git can't be asked once it is reached.
  const diff = await diffOf(request, deps.lanes);
  const reached = await deps.progress.during({ verdict: id, actor, change }, (tell) =>
    inTime(runAndThin(request, { ...deps, tell, disputes }), request, deps),
  );
  // It may be wrong, and whoever acts on it is told how often that happens here.
  const occasion = { profile: reached.profile, services: reached.services.length };
  const known = await readCalibration(deps.ledger, occasion, deps.clock.now());
  const calibration = known && brief(known);
  const disputed = (reached.disputed ?? []).map((dispute) => dispute.finding);
  const findings = [...reached.findings.map((finding) => finding.id), ...disputed].slice(
    0,
    findingsKeptMax,
  );
  const verified: VerifiedChange = boundVerdict({ id, change, base, ...reached, calibration });
  const { services, verdict, reason, checks } = verified;
  const failed = verdict === 'fail' ? keptShingles(shinglesOf(diff)) : null;
  await deps.ledger.append({
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
      // It holds no longer than these do.
      ...(disputed.length > 0 ? { disputed } : {}),
      ...(failed ? { shingles: failed } : {}),
      ...(task ? { task } : {}),
    },
    contents: [
      { name: 'verdict', subject: id, value: verified as unknown as JsonObject },
      // Kept with it, so that whoever reads the verdict can have it reached again.
      { name: judgedContent, subject: change, value: { patch, base, ...(test ? { test } : {}) } },
    ],
  });
  return verified;
}

function brief({ alarms: _, doubts: __, cpuRatios: ___, ...calibration }: Calibration) {
  return calibration;
}

export function checkSuites({ config }: Pick<RunDeps, 'config'>, wanted: readonly string[]): void {
  const known = Object.keys(config.suites);
  const unknown = wanted.find((suite) => !known.includes(suite));
  if (unknown === undefined) return;
  throw fault('SUITE_UNKNOWN', { suite: unknown, known: known.join(', ') || 'none' });
}
