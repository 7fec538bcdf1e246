import {
  type Actor,
  canonicalJson,
  durationMs,
  type Instant,
  type Json,
  type JsonObject,
  sha256,
} from '../../kernel/index.ts';
import { type Entry, MemoryRows } from '../../ledger/index.ts';
import { accountKey, accounts, budgetId } from '../accounts/index.ts';
import { approvalId, approvalKey } from '../approvals.ts';
import { agentOf } from '../ask.ts';
import { type DecisionInput, decide, prepare, type RuleFinding } from '../decision/index.ts';
import { evidenceKey } from '../evidence.ts';
import { type CompiledContract, type CompiledPolicy, compilePolicy } from '../language/index.ts';
import { callHash, loopKey, loops } from '../loops.ts';
import { stopsKey } from '../stops.ts';
import { type TaskRow, taskKey } from '../tasks/index.ts';
import { agentTrajectoryKey, shortHash, taskTrajectoryKey } from '../trajectory.ts';
import type { PolicyCase } from './case-document.ts';
import type { Cases, PlacedCase } from './read-cases.ts';

export interface CaseResult {
  readonly name: string;
  readonly line: number;
  readonly ok: boolean;
  readonly expected: { readonly verdict: string; readonly rules?: readonly string[] };
  readonly got: { readonly verdict: string; readonly rules: readonly string[] };
  /** Every rule that objected, including warnings. */
  readonly said: readonly RuleFinding[];
}

/** The time of cases that do not set one. */
const someday = Date.parse('2026-01-01T12:00:00Z');

/** The decision about each case in enforce mode. Pure. */
export function runCases(
  { agents, cases }: Cases,
  policy: CompiledPolicy,
  isNative: (tool: string) => boolean,
): CaseResult[] {
  const whole = Object.keys(agents).length === 0 ? policy : withAgents(policy, agents);
  return cases.map((one) => runCase(one, whole, isNative));
}

function withAgents({ document }: CompiledPolicy, more: JsonObject): CompiledPolicy {
  const agents = { ...(document.agents as JsonObject | undefined), ...more };
  return compilePolicy({ ...document, agents });
}

function runCase(
  one: PlacedCase,
  policy: CompiledPolicy,
  isNative: (tool: string) => boolean,
): CaseResult {
  const now = one.now === undefined ? someday : Date.parse(one.now);
  const question = questionOf(one, policy, isNative(one.tool));
  const rows = caseRows(one, question, now);
  const { verdict, wouldBe, said } = decide(prepare(question), rows, now, 'prop_case');
  const spoke = said.filter((rule) => rule.verdict !== 'warn').map(({ rule }) => rule);
  const got = { verdict: wouldBe ?? verdict, rules: spoke };
  const expected = { verdict: one.expect, ...(one.rules ? { rules: one.rules } : {}) };
  const isSame =
    !one.rules || canonicalJson([...one.rules].sort()) === canonicalJson(spoke.toSorted());
  return {
    name: one.name,
    line: one.line,
    ok: got.verdict === one.expect && isSame,
    expected,
    got,
    said,
  };
}

function questionOf(one: PolicyCase, policy: CompiledPolicy, isNative: boolean): DecisionInput {
  const actor = one.actor as Actor;
  const given = one.arguments as JsonObject;
  const contract = policy.contracts.get(one.tool) ?? null;
  return {
    actor,
    tool: one.tool,
    arguments: given,
    argumentsHash: sha256(canonicalJson(given)),
    facts: {},
    task: one.task?.id,
    key: undefined,
    reported: one.reported,
    policy,
    contract,
    agent: agentOf(actor, policy),
    isNative,
    reads: one.reads as JsonObject,
    readProblem: missingRead(one, contract),
  };
}

/** A read that the case does not give counts as failed, which can be the point of a case. */
function missingRead({ reads }: PolicyCase, contract: CompiledContract | null): string | null {
  const missing = contract?.reads.find(({ name }) => !Object.hasOwn(reads, name));
  return missing ? `the case says nothing under reads.${missing.name}` : null;
}

/** The rows for the state that a case describes. */
function caseRows(one: PolicyCase, question: DecisionInput, now: Instant): MemoryRows {
  const rows = new MemoryRows();
  setTrajectory(rows, one, question);
  setLoops(rows, one, question, now);
  for (const { kind, subject, age } of one.evidence) {
    const at = now - (age === undefined ? 0 : durationMs(age));
    rows.set(evidenceKey(kind, subject), { evidence: 'ev_case', at, proposal: 'prop_case' });
  }
  for (const spent of one.spent) spend(rows, spent, now);
  if (one.task) rows.set(taskKey(one.task.id), taskRow(one.task, question.actor));
  if (one.approved) approve(rows, question, now);
  const stops = one.stopped.map((scope): [string, JsonObject] => [
    scope,
    { by: 'person:case', at: now, reason: 'the case says so' },
  ]);
  if (stops.length > 0) rows.set(stopsKey, Object.fromEntries(stops));
  return rows;
}

function setTrajectory(rows: MemoryRows, one: PolicyCase, { actor, task }: DecisionInput): void {
  const own = agentTrajectoryKey(actor);
  const key = task === undefined ? own : taskTrajectoryKey(task);
  const seen: Record<string, number> = { ...one.seen };
  const steps = one.trajectory.map(
    ({ tool, outcome, code = '-', arguments: given = {} }, index) => {
      if (outcome === 'committed') seen[tool] = (seen[tool] ?? 0) + 1;
      const hash = shortHash(sha256(canonicalJson(given as JsonObject)));
      return `${tool} ${hash} ${outcome} ${code} prop_${index}`;
    },
  );
  if (key !== undefined) rows.set(key, { steps, seen, begun: {} });
  if (own === undefined) return;
  const begun: Record<string, number> = { ...seen };
  for (const { tool } of one.trajectory) begun[tool] = (begun[tool] ?? 0) + 1;
  const rest = key === own ? { steps, seen } : { steps: [], seen: {} };
  rows.set(own, { ...rest, begun });
}

function setLoops(
  rows: MemoryRows,
  one: PolicyCase,
  { actor, policy }: DecisionInput,
  at: Instant,
): void {
  const key = loopKey(actor);
  if (key === undefined) return;
  one.trajectory.forEach(({ tool, outcome, code, arguments: given = {} }, index) => {
    const contract = policy?.contracts.get(tool);
    if (!contract || contract.effect === 'read' || ['denied', 'held'].includes(outcome)) return;
    const args = given as JsonObject;
    const call = callHash(args, sha256(canonicalJson(args)), contract.schema);
    const known = { tool, call, proposal: `prop_${index}`, loops: key };
    const entry = { ...nowhere, actor, at, body: { ...known, ...(code ? { code } : {}) } };
    loops.apply(rows, { ...entry, kind: 'proposal-granted' });
    if (outcome === 'failed') loops.apply(rows, { ...entry, kind: 'proposal-failed' });
  });
}

type Spent = PolicyCase['spent'][number];

/** Applies the entries that would have spent it, so that windows count as usual. */
function spend(rows: MemoryRows, { account, dimension, per, amount }: Spent, at: Instant): void {
  const budget = budgetId(dimension, per === undefined ? null : durationMs(per));
  const charge = { account: accountKey(account), budget };
  apply(rows, at, 'proposal-granted', { charges: [{ ...charge, amount }] });
  const settled = [{ ...charge, reserved: amount, actual: amount }];
  apply(rows, at, 'proposal-committed', { settled });
}

const nowhere = { workspace: '', seq: 1, digest: '', prev: '', hash: '' };

function apply(rows: MemoryRows, at: Instant, kind: string, body: JsonObject): void {
  const entry: Entry = { ...nowhere, at, kind, actor: 'surety:case', body };
  accounts.apply(rows, entry);
}

function approve(rows: MemoryRows, question: DecisionInput, now: Instant): void {
  const { actor, tool, argumentsHash, task, contract } = question;
  const approval = approvalId(actor, tool, argumentsHash, task);
  const role = contract?.approval?.role ?? 'approver';
  const row: Record<string, Json> = { approval, status: 'approved', role, expiresAt: now + 1 };
  rows.set(approvalKey(approval), row);
}

type CaseTask = NonNullable<PolicyCase['task']>;

function taskRow({ id, agent, phase, tools, resources, budgets }: CaseTask, actor: Actor): TaskRow {
  return {
    task: id,
    parent: null,
    path: [],
    agent: agent ?? actor,
    status: 'open',
    tools: tools ?? null,
    resources: resources ?? null,
    phases: phase === undefined ? [] : [phase],
    phase: phase ?? null,
    budgets: Object.fromEntries(
      budgets.map(({ dimension, limit, spent }) => [
        dimension,
        { limit, spent, reserved: 0, carved: 0 },
      ]),
    ),
    children: 0,
    openProposals: 0,
    expiresAt: null,
    openedSeq: 1,
    endedSeq: 0,
  };
}
