import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTask, splitTask } from '../../gate/index.ts';
import { ada, RealGate } from '../../gate/tasks/real-gate.fixture.ts';
import { apiLimits } from '../../http/limits.ts';
import { showTree } from './tree-view.ts';

let real: RealGate;

beforeEach(async () => {
  real = await RealGate.open();
});
afterEach(async () => {
  await real.close();
});

test('a tree shows at most apiLimits.treeTasksMax tasks, and says that there are more', async () => {
  const { task: root } = await openTask(ada, { goal: 'all' }, real.deps);
  const split = () => splitTask(ada, root, { goal: 'part' }, real.deps);
  const reader = { ledger: real.gate.ledger, actor: ada, now: real.gate.clock.now() };
  const show = async () => {
    const { nodes, isCut } = await showTree(root, reader);
    return { nodes: nodes.length, isCut };
  };
  const max = apiLimits.treeTasksMax;
  await Promise.all(Array.from({ length: max - 1 }, split));
  expect(await show()).toEqual({ nodes: max, isCut: false });
  await split();
  expect(await show()).toEqual({ nodes: max, isCut: true });
});
