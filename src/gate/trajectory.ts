import type { Actor } from '../kernel/index.ts';
import type { Entry, Projection, ReadRows, Rows } from '../ledger/index.ts';
import { gateLimits } from './limits.ts';
import {
  agentTrajectoryKey,
  mergeTaint,
  type Taint,
  type TaskRow,
  taskKey,
} from './tasks/index.ts';

export { agentTrajectoryKey } from './tasks/index.ts';

/**
 * The steps of an agent on a task (or without one): the last ones in full, and per tool the number
 * of committed calls. Everything that the agent ever started, on any task and with any outcome, is
 * counted in its own row: a rule such as "no payment after untrusted input" must not forget, nor be
 * evaded by opening another task.
 */
export type TrajectoryRow = {
  readonly steps: readonly string[];
  readonly seen: Readonly<Record<string, number>>;
  readonly begun: Readonly<Record<string, number>>;
};

/** One step as expressions see it. */
export type TrajectoryStep = {
  readonly tool: string;
  /** The beginning of the arguments' hash, enough to compare them. */
  readonly arguments: string;
  readonly outcome: string;
  /** The rule that denied it, or the code of the fault that it failed with. */
  readonly code: string;
};

const empty: TrajectoryRow = { steps: [], seen: {}, begun: {} };

export const taskTrajectoryKey = (task: string): string => `trajectory/${task}`;

/**
 * The trajectory of the task if it belongs to the actor: nobody writes into another agent's
 * history.
 */
export function trajectoryKey(
  rows: ReadRows,
  actor: Actor,
  task: string | undefined,
): string | undefined {
  const row = task === undefined ? undefined : rows.get<TaskRow>(taskKey(task));
  const isOwn = row?.agent === actor || !actor.startsWith('agent:');
  return row && isOwn ? taskTrajectoryKey(row.task) : agentTrajectoryKey(actor);
}

export function readTrajectory(rows: ReadRows, key: string | undefined): TrajectoryRow {
  return (key === undefined ? undefined : rows.get<TrajectoryRow>(key)) ?? empty;
}

export const shortHash = (argumentsHash: string): string => argumentsHash.slice(0, 16);

/** Identifies the call of a step; its outcome follows. */
export const stepName = (tool: string, argumentsHash: string): string =>
  `${tool} ${shortHash(argumentsHash)} `;

export function readStep(text: string): TrajectoryStep {
  const [tool = '', hash = '', outcome = '', code = ''] = text.split(' ');
  return { tool, arguments: hash, outcome, code: code === '-' ? '' : code };
}

export function readSteps({ steps }: TrajectoryRow): TrajectoryStep[] {
  return steps.map(readStep);
}

/** One text per step, because the row is rewritten with every proposal and must stay small. */
function stepText({ kind, body }: Entry): string {
  const outcome = kind.slice('proposal-'.length);
  // Denials of earlier releases have the rule as their code.
  const code = String(body.rule ?? body.code ?? '-');
  const hash = shortHash(String(body.argumentsHash));
  return `${body.tool} ${hash} ${outcome} ${code} ${shortId(String(body.proposal))}`;
}

/** The row as it was before a proposal was granted. */
export function withoutStep(row: TrajectoryRow, proposal: string, tool: string): TrajectoryRow {
  const { steps, begun: counts } = row;
  const times = counts[tool] ?? 0;
  return {
    ...row,
    steps: steps.filter((text) => !text.endsWith(` ${shortId(proposal)}`)),
    begun: times > 0 ? { ...counts, [tool]: times - 1 } : counts,
  };
}

/** The end of an id is a counter, which is unique among the steps of one row. */
const shortId = (proposal: string): string => proposal.slice(-10);

const began = new Set(['proposal-granted', 'proposal-denied', 'proposal-held']);

export const trajectories: Projection = {
  kinds: [
    ...began,
    'proposal-committed',
    'proposal-failed',
    'proposal-unknown',
    'proposal-reconciled',
    'proposal-compensated',
    'task-split',
    'join-settled',
  ],
  keys: (entry) => [
    ...(entry.body.trajectory ? [String(entry.body.trajectory)] : []),
    ...begunIn(entry),
    ...taintedBy(entry),
  ],
  apply: (rows, entry) => {
    for (const key of begunIn(entry)) begun(rows, key, String(entry.body.tool));
    for (const key of taintedBy(entry)) taint(rows, key, entry.body.taint as Taint);
    if (!entry.body.trajectory) return;
    if (began.has(entry.kind)) begin(rows, entry);
    else end(rows, entry);
  },
};

/** The agent's own row, if the call was allowed. */
function begunIn({ kind, actor }: Entry): string[] {
  const key = kind === 'proposal-granted' ? agentTrajectoryKey(actor) : undefined;
  return key === undefined ? [] : [key];
}

/** The row of the agent that gets a task from another agent, or the results of a join. */
function taintedBy({ kind, body }: Entry): string[] {
  if (kind !== 'task-split' && kind !== 'join-settled') return [];
  const key = body.taint ? agentTrajectoryKey(String(body.agent)) : undefined;
  return key === undefined ? [] : [key];
}

function taint(rows: Rows, key: string, more: Taint): void {
  const row = readTrajectory(rows, key);
  rows.set(key, { ...row, begun: mergeTaint(row.begun, more) });
}

function begun(rows: Rows, key: string, tool: string): void {
  const row = readTrajectory(rows, key);
  rows.set(key, { ...row, begun: { ...row.begun, [tool]: (row.begun[tool] ?? 0) + 1 } });
}

function begin(rows: Rows, entry: Entry): void {
  const key = String(entry.body.trajectory);
  const row = readTrajectory(rows, key);
  const kept = row.steps.slice(1 - gateLimits.trajectoryStepsMax);
  rows.set(key, { ...row, steps: [...kept, stepText(entry)] });
}

function end(rows: Rows, { kind, body }: Entry): void {
  const key = String(body.trajectory);
  const row = readTrajectory(rows, key);
  const { steps, seen } = row;
  const outcome = kind === 'proposal-reconciled' ? String(body.as) : kind.slice('proposal-'.length);
  const id = shortId(String(body.proposal));
  const index = steps.findLastIndex((text) => text.endsWith(` ${id}`));
  const [tool, hash] = (steps[index] ?? '').split(' ');
  const step = `${tool} ${hash} ${outcome} ${body.code ?? '-'} ${id}`;
  const times = outcome === 'committed' ? 1 : 0;
  rows.set(key, {
    ...row,
    steps: index < 0 ? steps : steps.with(index, step),
    seen: times === 0 ? seen : { ...seen, [String(body.tool)]: (seen[String(body.tool)] ?? 0) + 1 },
  });
}
