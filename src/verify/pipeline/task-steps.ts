import {
  type Actor,
  canonicalJson,
  committedValue,
  fault,
  isFault,
  sha256,
} from '../../kernel/index.ts';
import {
  changedFiles,
  changeId,
  checkChange,
  type PersonalPromotion,
  type Promotion,
  type PromotionDeps,
  promoteChange,
} from '../../lanes/index.ts';
import type { Draft, Ledger } from '../../ledger/index.ts';
import type { SubmittedTest, SuiteRun, VerifiedChange } from '../api-schema.ts';
import { shinglesOf } from '../history/failed-changes.ts';
import { checkFresh, freshPass } from '../history/fresh-pass.ts';
import { profileAgain } from '../history/judged-changes.ts';
import { checkStorable, checkUnchanged } from '../history/stored-unredacted.ts';
import { onBaseline, runTest } from '../suites/run-suites.ts';
import type { VerifyContext } from './context.ts';
import type { VerifyRequest } from './request.ts';
import { verifyAndRecord } from './verify.ts';

export interface TaskContext extends VerifyContext, PromotionDeps {
  /** Refuses an agent whose task it is not. */
  readonly findTask: (task: string, actor?: Actor) => Promise<OpenTask>;
  /** Appends an entry and closes the task in the same transaction. */
  readonly closeWith: (draft: Draft, task: string) => Promise<void>;
}

/** The part of a task that its steps need. */
export interface OpenTask {
  readonly task: string;
  readonly base: string;
  readonly change: string | null;
  readonly test: string | null;
  readonly verdict: string | null;
  readonly testSeq: number;
  readonly changeSeq: number;
}

/**
 * Each step of a task is a proposal, and the gate decides whether it may be taken now. This step
 * runs the test on the baseline, where it has to fail.
 */
export async function submitTest(
  actor: Actor,
  task: string,
  test: SubmittedTest,
  context: TaskContext,
): Promise<SuiteRun> {
  const { base } = await context.findTask(task, actor);
  const proposal = { actor, tool: 'test.submit', task, facts: {}, arguments: { ...test } };
  const outcome = await context.act(proposal, async () => {
    checkStorable('test', test);
    context.confinement.check(actor);
    const run = await runOnBaseline(test, base, { ...context, requestedBy: actor });
    if (run.result === 'broken') throw fault('TEST_BROKEN', { reason: run.reason ?? 'unknown' });
    if (run.result === 'passed') throw fault('TEST_DOES_NOT_FAIL', {});
    await recordTest(actor, task, test, run, context.ledger);
    return run;
  });
  return committedValue(outcome);
}

async function runOnBaseline(
  test: SubmittedTest,
  base: string,
  context: TaskContext,
): Promise<SuiteRun> {
  return onBaseline(base, context, (lane, own) => runTest(test, lane, base, own));
}

/** The id of the evidence is the hash of the test and its run. */
async function recordTest(
  actor: Actor,
  task: string,
  test: SubmittedTest,
  run: SuiteRun,
  ledger: Ledger,
): Promise<void> {
  const evidence = { test, run };
  const id = `ev_${sha256(canonicalJson(evidence)).slice(0, 32)}`;
  const failed = run.checks.filter(({ passed }) => !passed).map(({ check }) => check);
  const body = { task, test: id, path: test.path, failed };
  const contents = [{ name: 'evidence', subject: task, value: evidence }];
  await ledger.append({ kind: 'test-proven', actor, body, contents });
}

export async function proposeChange(
  actor: Actor,
  task: string,
  patch: string,
  context: TaskContext,
): Promise<{ change: string; services: string[] }> {
  const { base } = await context.findTask(task, actor);
  const change = changeId({ patch, base });
  const files = await changedFiles({ patch, base }, context.trees);
  const facts = { change, base, files };
  const proposal = { actor, tool: 'change.propose', task, facts, arguments: { patch } };
  const outcome = await context.act(proposal, async () => {
    checkStorable('change', patch);
    const { services } = await checkChange({ patch, base }, context);
    const contents = [{ name: 'patch', subject: task, value: patch }];
    const body = { task, ...facts, services, files };
    await context.ledger.append({ kind: 'change-admitted', actor, body, contents });
    return { change, services: [...services] };
  });
  return committedValue(outcome);
}

export async function verifyTask(
  actor: Actor,
  asked: { readonly task: string } & Pick<VerifyRequest, 'profile' | 'callers'>,
  context: TaskContext,
): Promise<VerifiedChange> {
  const { task, callers } = asked;
  const { base, change, changeSeq, testSeq } = await context.findTask(task, actor);
  const proposal = { actor, tool: 'task.verify', task, facts: { change, base }, arguments: {} };
  const outcome = await context.act(proposal, async () => {
    const patch = await readPatch({ base, change, changeSeq }, context.ledger);
    const test = await readTest({ testSeq }, context.ledger);
    const shingles = shinglesOf(await context.lanes.diffOf({ patch, base }));
    const profile = await profileAgain({ change, shingles }, asked.profile, context.ledger);
    const request = { patch, base, test, task, profile, callers };
    const verified = await verifyAndRecord(actor, request, context);
    return verified;
  });
  return committedValue(outcome);
}

/**
 * Promotes exactly the change that passed, if the pass has not lapsed. Repeated after a crash, it
 * continues: the version is the same, and services that already run it are left alone.
 */
export async function promoteTask(
  actor: Actor,
  task: string,
  context: TaskContext,
): Promise<Promotion> {
  const { base, change, changeSeq, test, verdict } = await context.findTask(task, actor);
  const facts = { change, base };
  // Granting a promotion also grants its return.
  const granted = { ...facts, ...returnsOf(context) };
  const proposal = { actor, tool: 'change.promote', task, facts, arguments: granted };
  const outcome = await context.act(proposal, async () => {
    const patch = await readPatch({ base, change, changeSeq }, context.ledger);
    await checkFresh(actor, { task, change, verdict }, context);
    const message = `Change ${change} of task ${task}`;
    const promoted = promoteChange(actor, { patch, base, message }, context);
    const { commit, branch, services } = await promoted.catch((error) =>
      moveBase({ actor, task, patch }, error, context),
    );
    // The evidence: the test that failed on the baseline, and the verdict.
    const body = { task, change, base, commit, services, test, verdict, ...returnsOf(context) };
    await context.closeWith({ kind: 'change-promoted', actor, body }, task);
    return { commit, branch, services: [...services] };
  });
  return committedValue(outcome);
}

/** How long the promotion is watched, and what happens on a regression. */
function returnsOf({ config }: TaskContext): { watchMs: number; onRegression: 'return' } {
  return { watchMs: config.promotion.watchSeconds * 1_000, onRegression: 'return' };
}

/** Moves the task to the current baseline, on which its change has to be verified. */
async function moveBase(
  { actor, task, patch }: { actor: Actor; task: string; patch: string },
  error: unknown,
  context: TaskContext,
): Promise<never> {
  if (!isFault(error, 'BASE_MOVED')) throw error;
  const base = String(error.values.running);
  const applies = await checkChange({ patch, base }, context).then(
    () => true,
    () => false,
  );
  const body = { task, base, change: applies ? changeId({ patch, base }) : null };
  await context.ledger.append({ kind: 'base-moved', actor, body });
  throw error;
}

/**
 * A person's promotion rests on the fresh pass of exactly these bytes. Without one it needs a
 * reason, and the ledger records that nothing was proven.
 */
export async function promotePatch(
  actor: Actor,
  { patch, base, reason }: { patch: string; base: string; reason: string | undefined },
  context: TaskContext,
): Promise<PersonalPromotion> {
  const change = changeId({ patch, base });
  const pass = await freshPass(change, context);
  if ('why' in pass && reason === undefined) throw fault('PROMOTION_UNPROVEN', { why: pass.why });
  const verdict = 'verdict' in pass ? pass.verdict : null;
  const facts = { change, base };
  const why = reason === undefined ? {} : { reason };
  const granted = { patch, ...why, ...returnsOf(context) };
  const proposal = { actor, tool: 'system.promote', facts, arguments: granted };
  const outcome = await context.act(proposal, async () => {
    const proof = verdict === null ? `unproven: ${reason}` : `proven by ${verdict}`;
    const message = `Change ${change}, ${proof}`;
    const promoted = await promoteChange(actor, { patch, base, message }, context);
    const { commit, branch, services } = promoted;
    const proven = verdict === null ? { proven: false } : { proven: true, verdict };
    const body = { change, base, commit, services, ...why, ...proven, ...returnsOf(context) };
    await context.ledger.append({ kind: 'change-promoted', actor, body });
    return { commit, branch, services: [...services], change, verdict };
  });
  return committedValue(outcome);
}

async function readPatch(
  { base, change, changeSeq }: Pick<OpenTask, 'base' | 'change' | 'changeSeq'>,
  ledger: Ledger,
): Promise<string> {
  const patch = await readContent<string>(ledger, changeSeq, 'patch');
  checkUnchanged({ patch, base }, change);
  return patch;
}

export async function readTest(
  { testSeq }: Pick<OpenTask, 'testSeq'>,
  ledger: Ledger,
): Promise<SubmittedTest> {
  return (await readContent<{ test: SubmittedTest }>(ledger, testSeq, 'evidence')).test;
}

async function readContent<Value>(ledger: Ledger, seq: number, name: string): Promise<Value> {
  const found = (await ledger.contents(seq)).find((content) => content.name === name);
  if (found?.value === undefined) throw fault('CONTENT_SHREDDED', { name, seq });
  return found.value as Value;
}
