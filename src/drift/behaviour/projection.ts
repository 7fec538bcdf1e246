import { type DriftLevelRow, driftLevelKey, type Json } from '../../kernel/index.ts';
import type { Entry, Projection, Rows } from '../../ledger/index.ts';
import { acceptBehaviour, changeProfile } from './accept.ts';
import {
  type BehaviourPastRow,
  type BehaviourRow,
  behaviourKey,
  behaviourPastKey,
  type ComplianceTotals,
  newBehaviour,
  newPast,
  noCompliance,
  profileKey,
  taskComplianceKey,
} from './behaviour-row.ts';
import { addStep } from './compliance.ts';
import { assessDrift } from './level.ts';
import { hasResultViolation, observeOutcome } from './observe-outcome.ts';
import { observeProposal } from './observe-proposal.ts';
import { addSessionStep } from './sessions.ts';
import { type Behaviour, openBehaviour } from './state.ts';
import { isRefusedForDrift, markOf } from './violations.ts';

const proposals = new Set(['proposal-granted', 'proposal-denied', 'proposal-held']);
const outcomes = new Set(['proposal-committed', 'proposal-failed', 'proposal-unknown']);

/** The behaviour of each agent, and its drift level, which the gate reads. */
export const behaviours: Projection = {
  kinds: [...proposals, ...outcomes, 'drift-accepted', 'agent-declared'],
  keys: (entry) => {
    const agent = agentOf(entry);
    if (agent === undefined) return [];
    const task = taskKeyOf(entry);
    const rows = [behaviourKey(agent), behaviourPastKey(agent), `drift-level/${agent}`];
    return [...rows, ...(task === undefined ? [] : [task]), ...profileKeysOf(entry, agent)];
  },
  apply: (rows, entry) => {
    const agent = agentOf(entry);
    if (agent === undefined) return;
    const known = rows.get<BehaviourRow>(behaviourKey(agent));
    if (!isWatched(entry, known)) return;
    const past = rows.get<BehaviourPastRow>(behaviourPastKey(agent)) ?? newPast();
    const state = openBehaviour(known ?? newBehaviour(), past);
    observe(state, entry, agent, rows);
    rows.set(behaviourKey(agent), state.now);
    // Most actions leave this row alone, which is what keeps them cheap.
    if (state.past !== past) rows.set(behaviourPastKey(agent), state.past as Json);
    setLevel(rows, entry, agent, state);
  },
};

/**
 * Proposals that an earlier version of Surety recorded have no mark, and their outcomes nothing to
 * belong to: a ledger of that version is watched from the next proposal on.
 */
function isWatched({ kind, body }: Entry, known: BehaviourRow | undefined): boolean {
  if (kind === 'agent-declared') return true;
  return proposals.has(kind) ? body.behaviour !== undefined : known !== undefined;
}

/** A person accepts the behaviour of the agent that the entry names; all else is its own. */
function agentOf({ kind, actor, body }: Entry): string | undefined {
  const agent = kind === 'drift-accepted' ? String(body.agent) : actor;
  return agent.startsWith('agent:') ? agent : undefined;
}

function taskKeyOf({ kind, body }: Entry): string | undefined {
  const isStep = proposals.has(kind) || outcomes.has(kind);
  return isStep && body.about !== undefined ? taskComplianceKey(String(body.about)) : undefined;
}

function profileKeysOf({ kind, body }: Entry, agent: string): string[] {
  if (kind !== 'agent-declared') return [];
  return [body.hash, body.replaces].map((hash) => profileKey(agent, String(hash)));
}

function observe(state: Behaviour, entry: Entry, agent: string, rows: Rows): void {
  if (entry.kind === 'drift-accepted') acceptBehaviour(state);
  else if (entry.kind === 'agent-declared') changeProfile(state, entry, agent, rows);
  else if (proposals.has(entry.kind)) {
    observeProposal(state, entry);
    countSession(state, entry, rows);
  } else {
    observeOutcome(state, entry);
    if (hasResultViolation(entry)) countSession(state, entry, rows);
  }
}

/** Counts the step in its task, and the session in which it is. */
function countSession({ now }: Behaviour, entry: Entry, rows: Rows): void {
  const isProposal = proposals.has(entry.kind);
  if (isRefusedForDrift(entry)) return;
  const mark = isProposal ? markOf(entry) : 'H';
  const key = taskKeyOf(entry);
  const task = key === undefined ? undefined : rows.get<ComplianceTotals>(key);
  if (key !== undefined) {
    const totals = task ?? noCompliance;
    rows.set(key, isProposal ? addStep(totals, mark) : { ...totals, hard: totals.hard + 1 });
  }
  addSessionStep(now, entry.at, {
    isTask: key !== undefined,
    isNew: task === undefined,
    isBroken: task !== undefined && task.hard + task.prevented > 0,
    breaks: mark === 'h' || mark === 'H',
  });
}

/** Written only when the level changes, so that a decision finds a row that rarely does. */
function setLevel(rows: Rows, { at }: Entry, agent: string, { now, past }: Behaviour): void {
  const key = driftLevelKey(agent) as string;
  const before = rows.get<DriftLevelRow>(key)?.level ?? 'normal';
  const { level, reasons } = assessDrift(now, past);
  if (level === before) return;
  rows.set(key, { level, at, reasons: [...reasons] } satisfies DriftLevelRow);
}
