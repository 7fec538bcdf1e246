import { expect, test } from 'vitest';
import { type Entry, MemoryRows } from '../ledger/index.ts';
import { gateLimits } from './limits.ts';
import { readSteps, readTrajectory, trajectories, trajectoryKey } from './trajectory.ts';

const key = 'trajectory/agent:ada';
const hash = (name: string): string => name.padEnd(64, '0');

/** The agent's steps, as `tool:arguments:outcome:code`. */
function rowsOf(...steps: string[]): MemoryRows {
  const rows = new MemoryRows();
  steps.forEach((step, index) => {
    const [tool = '', name = '', outcome = 'committed', code] = step.split(':');
    const proposal = `prop_${index}`;
    const body = { proposal, tool, argumentsHash: hash(name), trajectory: key };
    const entry = { actor: 'agent:ada', seq: index, at: index } as unknown as Entry;
    if (outcome === 'denied') {
      // Entries of earlier releases have the rule as their code.
      const why = code ? { code } : { code: 'PROPOSAL_DENIED', rule: 'budget' };
      trajectories.apply(rows, { ...entry, kind: 'proposal-denied', body: { ...body, ...why } });
      return;
    }
    trajectories.apply(rows, { ...entry, kind: 'proposal-granted', body });
    const kind = `proposal-${outcome}`;
    trajectories.apply(rows, { ...entry, kind, body: { ...body, ...(code ? { code } : {}) } });
  });
  return rows;
}

test('each step records its outcome, and committed calls are counted permanently', () => {
  const rows = rowsOf('a:1', 'b:2:failed:E1', 'a:1:denied', 'a:2:denied:calls');
  expect(readSteps(readTrajectory(rows, key))).toEqual([
    { tool: 'a', arguments: hash('1').slice(0, 16), outcome: 'committed', code: '' },
    { tool: 'b', arguments: hash('2').slice(0, 16), outcome: 'failed', code: 'E1' },
    { tool: 'a', arguments: hash('1').slice(0, 16), outcome: 'denied', code: 'budget' },
    { tool: 'a', arguments: hash('2').slice(0, 16), outcome: 'denied', code: 'calls' },
  ]);
  expect(readTrajectory(rows, key).seen).toEqual({ a: 1 });
});

test('only the last steps are kept in full, and the counts survive them', () => {
  const many = Array.from({ length: gateLimits.trajectoryStepsMax }, (_, index) => `a:${index}`);
  expect(readTrajectory(rowsOf('first:0', ...many.slice(1)), key).steps[0]).toContain('first');
  const { steps, seen } = readTrajectory(rowsOf('first:0', ...many), key);
  expect(steps).toHaveLength(gateLimits.trajectoryStepsMax);
  expect(steps[0]).not.toContain('first');
  expect(seen.first).toBe(1);
});

test("an agent's task has its own trajectory, and people have none", () => {
  const rows = new MemoryRows();
  rows.set('task/task_1', { task: 'task_1', agent: 'agent:ada' });
  expect(trajectoryKey(rows, 'agent:ada', undefined)).toBe(key);
  expect(trajectoryKey(rows, 'agent:ada', 'task_1')).toBe('trajectory/task_1');
  expect(trajectoryKey(rows, 'agent:eve', 'task_1')).toBe('trajectory/agent:eve');
  expect(trajectoryKey(rows, 'agent:eve', 'agent:ada')).toBe('trajectory/agent:eve');
  expect(trajectoryKey(rows, 'person:ada', undefined)).toBeUndefined();
});

test('every started call counts for its agent, on any task and with any outcome', () => {
  const rows = rowsOf('a:1:failed:E1', 'a:2', 'b:1:unknown', 'c:1:denied');
  expect(readTrajectory(rows, key)).toMatchObject({ seen: { a: 1 }, begun: { a: 2, b: 1 } });
  const body = {
    proposal: 'prop_9',
    tool: 'd',
    argumentsHash: hash('1'),
    trajectory: 'trajectory/t',
  };
  const entry = { actor: 'agent:ada', seq: 9, at: 9, kind: 'proposal-granted', body };
  trajectories.apply(rows, entry as unknown as Entry);
  expect(readTrajectory(rows, key).begun).toEqual({ a: 2, b: 1, d: 1 });
});
