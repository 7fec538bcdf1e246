import type { Instant, Lease } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import type { Charge } from '../accounts/index.ts';
import type { RuleFinding } from '../api-schema.ts';
import { approvalId, approvalKey } from '../approvals.ts';
import { loopKey } from '../loops.ts';
import { stopsKey } from '../stops.ts';
import { changeTaskKey, taskKey } from '../tasks/index.ts';
import { agentTrajectoryKey, taskTrajectoryKey } from '../trajectory.ts';
import { type Assessment, assess } from './assess.ts';
import { type ApprovalNeed, judgeApproval } from './judge-approval.ts';
import {
  judgeAuthority,
  judgeAutonomy,
  judgeResources,
  judgeStops,
  judgeTask,
} from './judge-authority.ts';
import { type Demands, demandsOf, judgeBudgets } from './judge-budgets.ts';
import { judgeChange } from './judge-change.ts';
import { judgeLoops, repeatsOf } from './judge-loops.ts';
import { decisionValues, judgeEvidence, judgeRules } from './judge-rules.ts';
import { judgeSlots, slotKeys } from './judge-slots.ts';
import { type DecisionInput, modeOf } from './question.ts';

/** The decision input with everything that follows from it alone. */
export interface PreparedQuestion {
  readonly question: DecisionInput;
  readonly assessed: Assessment;
  readonly demands: Demands;
}

export interface Decision {
  readonly verdict: 'allow' | 'deny' | 'hold';
  /** Every rule that objected. */
  readonly said: readonly RuleFinding[];
  /** What enforcing would have decided, because observe mode refuses nothing. */
  readonly wouldBe: 'deny' | 'hold' | null;
  readonly charges: readonly Charge[];
  readonly leases: readonly Lease[];
  readonly evidence: readonly string[];
  readonly approval: ApprovalNeed | null;
  /** How often the same proposal was denied before. */
  readonly repeats: number;
}

export function prepare(question: DecisionInput): PreparedQuestion {
  const assessed = assess(question);
  return { question, assessed, demands: demandsOf(question, assessed) };
}

/** The rows that `decide` reads. */
export function decisionKeys({ question, assessed, demands }: PreparedQuestion): string[] {
  const { actor, task, tool, argumentsHash } = question;
  const own = agentTrajectoryKey(actor);
  const loop = assessed.call === undefined ? undefined : loopKey(actor);
  return [
    stopsKey,
    ...(own ? [own] : []),
    ...(loop ? [loop] : []),
    ...(task === undefined ? [] : [taskKey(task), changeTaskKey(task), taskTrajectoryKey(task)]),
    ...demands.limits.map(({ account }) => account),
    ...slotKeys(assessed),
    ...assessed.evidence.map(({ row }) => row),
    ...(mayNeedApproval(question)
      ? [approvalKey(approvalId(actor, tool, argumentsHash, task))]
      : []),
  ];
}

function mayNeedApproval({ contract, agent }: DecisionInput): boolean {
  return Boolean(contract?.approval) || agent?.autonomy === 'supervised';
}

/**
 * Whether a proposal may be executed, and what it takes. Reads no clock, network or database:
 * the same question, rows and instant give the same decision, today and in a replay.
 */
export function decide(
  prepared: PreparedQuestion,
  rows: ReadRows,
  now: Instant,
  owner: string,
): Decision {
  const { question, assessed, demands } = prepared;
  const stopped = judgeStops(question, rows);
  const said: RuleFinding[] = [...stopped, ...judgeAuthority(question), ...assessed.problems];
  if (said.length > 0) return conclude(question, rows, { said, isStopped: stopped.length > 0 });
  const values = decisionValues(question, rows, now);
  add(said, judgeTask(question, rows, now));
  add(said, judgeChange(question, rows));
  add(said, judgeResources(question, assessed, rows));
  add(said, judgeAutonomy(question));
  judgeRules(question, values, said);
  const evidence = judgeEvidence(question, assessed, rows, now);
  add(said, evidence.said);
  add(said, judgeLoops(question, assessed, rows, now));
  const budgets = judgeBudgets(demands, question, assessed, rows, now);
  add(said, budgets.said);
  const slots = judgeSlots(question, assessed, rows, now, owner);
  add(said, slots.said);
  const approval = mayNeedApproval(question) ? judgeApproval(question, values, rows, now) : null;
  if (approval) add(said, approval.said);
  return conclude(question, rows, {
    said,
    isStopped: false,
    charges: budgets.charges,
    leases: slots.leases,
    evidence: evidence.used,
    approval: approval?.need ?? null,
  });
}

function add(said: RuleFinding[], more: readonly RuleFinding[]): void {
  for (const one of more) said.push(one);
}

interface Findings extends Partial<Pick<Decision, 'charges' | 'leases' | 'evidence' | 'approval'>> {
  readonly said: readonly RuleFinding[];
  readonly isStopped: boolean;
}

/** Deny wins over hold, hold over allow. A stop holds in observe mode, too. */
function conclude(question: DecisionInput, rows: ReadRows, found: Findings): Decision {
  const { said, isStopped, charges = [], leases = [], evidence = [], approval = null } = found;
  const judged = judge(said);
  if (judged === 'allow') {
    const [wouldBe, repeats] = [null, 0];
    return { verdict: 'allow', said, wouldBe, charges, leases, evidence, approval, repeats };
  }
  if (modeOf(question) === 'observe' && !isStopped) {
    const kept = { charges, leases, evidence, approval };
    return { verdict: 'allow', said, wouldBe: judged, ...kept, repeats: 0 };
  }
  const nothing = { charges: [], leases: [], evidence: [] };
  const repeats = judged === 'deny' ? repeatsOf(question, rows) : 0;
  const need = judged === 'deny' ? null : approval;
  return { verdict: judged, said, wouldBe: null, ...nothing, approval: need, repeats };
}

function judge(said: readonly RuleFinding[]): Decision['verdict'] {
  let verdict: Decision['verdict'] = 'allow';
  for (const one of said) {
    if (one.verdict === 'deny') return 'deny';
    if (one.verdict === 'hold') verdict = 'hold';
  }
  return verdict;
}
