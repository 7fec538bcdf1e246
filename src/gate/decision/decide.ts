import type { DriftLevel, Instant, Lease } from '../../kernel/index.ts';
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
import { driftKeyOf, driftReaction, judgeDrift, mayAskForDrift } from './judge-drift.ts';
import { judgeEffects } from './judge-effects.ts';
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
  /** Locks that the caller holds already, and whose fences it shows. */
  readonly held: readonly Lease[];
  readonly evidence: readonly string[];
  readonly approval: ApprovalNeed | null;
  /** The level of drift that it read; null if that is normal, or changes nothing. */
  readonly drift: DriftLevel | null;
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
  const drift = driftKeyOf(question);
  return [
    stopsKey,
    ...(own ? [own] : []),
    ...(loop ? [loop] : []),
    ...(drift ? [drift] : []),
    ...(task === undefined ? [] : [taskKey(task), changeTaskKey(task), taskTrajectoryKey(task)]),
    ...demands.limits.map(({ account }) => account),
    ...slotKeys(question, assessed),
    ...assessed.evidence.map(({ row }) => row),
    ...(mayNeedApproval(question)
      ? [approvalKey(approvalId(actor, tool, argumentsHash, task))]
      : []),
  ];
}

function mayNeedApproval(question: DecisionInput): boolean {
  const { contract, agent } = question;
  if (contract?.approval || contract?.coding || agent?.autonomy === 'supervised') return true;
  return mayAskForDrift(question);
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
  const drift = driftReaction(question, rows);
  add(said, judgeDrift(question, drift));
  judgeRules(question, values, said);
  const effects = judgeEffects(question);
  add(said, effects.denials);
  const evidence = judgeEvidence(question, assessed, rows, now);
  add(said, evidence.said);
  add(said, judgeLoops(question, assessed, rows, now));
  const budgets = judgeBudgets(demands, question, assessed, rows, now);
  add(said, budgets.said);
  const slots = judgeSlots(question, assessed, rows, now, owner);
  add(said, slots.said);
  const { holds } = effects;
  const approval = mayNeedApproval(question)
    ? judgeApproval(question, { values, drift, holds }, rows, now)
    : null;
  if (approval) add(said, approval.said);
  return conclude(question, rows, {
    said,
    isStopped: false,
    charges: budgets.charges,
    leases: slots.leases,
    held: slots.held,
    evidence: evidence.used,
    approval: approval?.need ?? null,
    drift: drift?.level ?? null,
  });
}

function add(said: RuleFinding[], more: readonly RuleFinding[]): void {
  for (const one of more) said.push(one);
}

type Taken = Pick<Decision, 'charges' | 'leases' | 'held' | 'evidence' | 'approval' | 'drift'>;

interface Findings extends Partial<Taken> {
  readonly said: readonly RuleFinding[];
  readonly isStopped: boolean;
}

/** Deny wins over hold, hold over allow. A stop holds in observe mode, too. */
function conclude(question: DecisionInput, rows: ReadRows, found: Findings): Decision {
  const { said, isStopped, charges = [], leases = [], held = [], evidence = [] } = found;
  const { approval = null, drift = null } = found;
  const judged = judge(said);
  if (judged === 'allow') {
    const [wouldBe, repeats] = [null, 0];
    const taken = { charges, leases, held, evidence, approval, drift };
    return { verdict: 'allow', said, wouldBe, ...taken, repeats };
  }
  if (modeOf(question) === 'observe' && !isStopped) {
    const kept = { charges, leases, held, evidence, approval, drift };
    return { verdict: 'allow', said, wouldBe: judged, ...kept, repeats: 0 };
  }
  const nothing = { charges: [], leases: [], held: [], evidence: [] };
  const repeats = judged === 'deny' ? repeatsOf(question, rows) : 0;
  const need = judged === 'deny' ? null : approval;
  return { verdict: judged, said, wouldBe: null, ...nothing, approval: need, drift, repeats };
}

function judge(said: readonly RuleFinding[]): Decision['verdict'] {
  let verdict: Decision['verdict'] = 'allow';
  for (const one of said) {
    if (one.verdict === 'deny') return 'deny';
    if (one.verdict === 'hold') verdict = 'hold';
  }
  return verdict;
}
