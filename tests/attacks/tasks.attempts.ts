import { type Attempt, attemptsOf } from './attempt.ts';
import type { GuardedScene } from './guarded-scene.ts';

type Attack = Attempt<GuardedScene>['attack'];

/** A task of this agent that may spend 100, on one order, with one tool. */
const limits = {
  budgets: { money: 100 },
  tools: ['order.*', 'refund.issue'],
  resources: ['order:7'],
};

async function open(scene: GuardedScene, as: string, more: object = limits): Promise<string> {
  const { body, verdict } = await scene.call(as, 'POST /v1/tasks', { goal: 'work', ...more });
  if (typeof body.task !== 'string') throw new Error(`no task: ${verdict} ${JSON.stringify(body)}`);
  return body.task;
}

async function split(scene: GuardedScene, as: string, task: string, more: object): Promise<string> {
  const body = { goal: 'part', ...more };
  const reply = await scene.call(as, `POST /v1/tasks/${task}/split`, body);
  return reply.verdict === '200' ? String(reply.body.task) : reply.verdict;
}

/** Splits a task of Alice so that the child would have more. */
const widen =
  (more: object): Attack =>
  async (scene, begin) => {
    const task = await open(scene, 'alice');
    await begin();
    return split(scene, 'alice', task, more);
  };

/** Does something to a task of Alice as another agent. */
const intrude =
  (path: string, body?: object): Attack =>
  async (scene, begin) => {
    const task = await open(scene, 'alice');
    await begin();
    const [method, end = ''] = path.split(' ');
    return (await scene.call('mallory', `${method} /v1/tasks/${task}${end}`, body)).verdict;
  };

/** Calls a tool in a task of Alice. */
const within =
  (as: string, tool: string, given: object, more: object = limits): Attack =>
  async (scene, begin) => {
    const task = await open(scene, 'alice', more);
    await begin();
    return scene.propose(as, tool, given, { task });
  };

export const taskAttempts = attemptsOf<GuardedScene>('an agent', [
  [
    'gives a child more money than its parent has',
    '422 TASK_WIDER',
    widen({ budgets: { money: 101 } }),
    'proposal-failed',
  ],
  [
    'gives a child a tool that its parent lacks',
    '422 TASK_WIDER',
    widen({ tools: ['ticket.close'] }),
    'proposal-failed',
  ],
  [
    'gives a child all tools by a pattern',
    '422 TASK_WIDER',
    widen({ tools: ['*'] }),
    'proposal-failed',
  ],
  [
    'gives a child a resource that its parent lacks',
    '422 TASK_WIDER',
    widen({ resources: ['order:8'] }),
    'proposal-failed',
  ],
  [
    'gives a child resources by a wider pattern',
    '422 TASK_WIDER',
    widen({ resources: ['order:7*'] }),
    'proposal-failed',
  ],
  [
    'gives a child a pattern that only looks narrower',
    '422 TASK_WIDER',
    widen({ tools: ['order.*', '*.issue'] }),
    'proposal-failed',
  ],
  [
    'gives a child a negative budget',
    '400 REQUEST_INVALID',
    widen({ budgets: { money: -1 } }),
    'attempt-refused',
  ],
  [
    'gives a child an agent that the policy lacks',
    '403 PROPOSAL_DENIED',
    widen({ agent: 'agent:stranger' }),
    'proposal-denied',
  ],
  [
    'gives a child a budget named __proto__',
    '400 JSON_INVALID',
    async (scene, begin) => {
      const task = await open(scene, 'alice');
      await begin();
      const text = '{"goal":"a","budgets":{"__proto__":5}}';
      return (await scene.call('alice', `POST /v1/tasks/${task}/split`, text)).verdict;
    },
    'attempt-refused',
  ],
  [
    'outlives its parent task',
    'ends with its parent',
    async (scene) => {
      const task = await open(scene, 'alice', { ...limits, expiresInMs: 60_000 });
      const child = await split(scene, 'alice', task, { expiresInMs: 3_600_000 });
      if (!child.startsWith('task_')) return 'ends with its parent';
      const until = async (id: string) =>
        (await scene.call('alice', `GET /v1/tasks/${id}`)).body.expiresAt as number;
      return (await until(child)) <= (await until(task)) ? 'ends with its parent' : 'lives longer';
    },
    'task-opened',
  ],
  [
    'splits twenty children off the same money at once',
    '10 children',
    async (scene) => {
      const task = await open(scene, 'alice');
      const one = () => split(scene, 'alice', task, { budgets: { money: 10 } });
      const children = await Promise.all(Array.from({ length: 20 }, one));
      return `${children.filter((child) => child.startsWith('task_')).length} children`;
    },
    'task-opened',
  ],
  [
    'spends more in a task than it was given',
    '403 PROPOSAL_DENIED',
    within('alice', 'refund.issue', { order: '7', amount: 101 }),
    'proposal-denied',
  ],
  [
    'spends from the parent what it gave to a child',
    '403 PROPOSAL_DENIED',
    async (scene, begin) => {
      const task = await open(scene, 'alice');
      await split(scene, 'alice', task, { budgets: { money: 60 } });
      await begin();
      return scene.propose('alice', 'refund.issue', { order: '7', amount: 50 }, { task });
    },
    'proposal-denied',
  ],
  [
    'gets more than its own budget by opening a task',
    '403 PROPOSAL_DENIED',
    async (scene, begin) => {
      const task = await open(scene, 'mallory', { budgets: { money: 1_000_000 } });
      await begin();
      return scene.propose('mallory', 'refund.issue', { order: '1', amount: 20_001 }, { task });
    },
    'proposal-denied',
  ],
  [
    'touches a resource outside of the task',
    '403 PROPOSAL_DENIED',
    within('alice', 'refund.issue', { order: '8', amount: 1 }),
    'proposal-denied',
  ],
  [
    'uses a tool outside of the task',
    '403 PROPOSAL_DENIED',
    within('alice', 'file.read', { path: '/srv/notes/a' }),
    'proposal-denied',
  ],
  [
    'touches a resource outside of its policy',
    '403 PROPOSAL_DENIED',
    (scene) => scene.propose('eve', 'refund.issue', { order: '8', amount: 1 }),
    'proposal-denied',
  ],
  [
    'puts a pattern into the name of a resource',
    '403 PROPOSAL_DENIED',
    (scene) => scene.propose('eve', 'refund.issue', { order: '*', amount: 1 }),
    'proposal-denied',
  ],
  [
    'works in the task of another agent',
    '403 PROPOSAL_DENIED',
    within('mallory', 'order.get', { id: '7' }),
    'proposal-denied',
  ],
  [
    'works in a task that does not exist',
    '403 PROPOSAL_DENIED',
    (scene) => scene.propose('alice', 'order.get', { id: '7' }, { task: 'task_none' }),
    'proposal-denied',
  ],
  ['reads the task of another agent', '404 TASK_UNKNOWN', intrude('GET ')],
  [
    'cancels the task of another agent',
    '403 TASK_NOT_YOURS',
    intrude('POST /cancel', { reason: 'a' }),
    'attempt-refused',
  ],
  [
    'finishes the task of another agent',
    '403 PROPOSAL_DENIED',
    intrude('POST /finish', { result: {} }),
    'proposal-denied',
  ],
  [
    'splits the task of another agent',
    '403 PROPOSAL_DENIED',
    intrude('POST /split', { goal: 'a' }),
    'proposal-denied',
  ],
  [
    'moves the task of another agent',
    '403 PROPOSAL_DENIED',
    intrude('POST /move', { phase: 'a' }),
    'proposal-denied',
  ],
  [
    'opens a task for another agent',
    '400 TASK_INVALID',
    async (scene) =>
      (await scene.call('mallory', 'POST /v1/tasks', { goal: 'a', agent: 'agent:alice' })).verdict,
    'proposal-failed',
  ],
  [
    'works in a cancelled task',
    '403 PROPOSAL_DENIED',
    async (scene, begin) => {
      const task = await open(scene, 'alice');
      await scene.call('alice', `POST /v1/tasks/${task}/cancel`, { reason: 'a' });
      await begin();
      return scene.propose('alice', 'order.get', { id: '7' }, { task });
    },
    'proposal-denied',
  ],
  [
    'works in a child of a cancelled task',
    '403 PROPOSAL_DENIED',
    async (scene, begin) => {
      const task = await open(scene, 'alice');
      const child = await split(scene, 'alice', task, {});
      await scene.call('alice', `POST /v1/tasks/${task}/cancel`, { reason: 'a' });
      await begin();
      return scene.propose('alice', 'order.get', { id: '7' }, { task: child });
    },
    'proposal-denied',
  ],
  [
    'skips a phase of its task',
    '409 TASK_PHASE_ORDER',
    async (scene, begin) => {
      const task = await open(scene, 'alice', { phases: ['one', 'two', 'three'] });
      await begin();
      return (await scene.call('alice', `POST /v1/tasks/${task}/move`, { phase: 'three' })).verdict;
    },
    'proposal-failed',
  ],
]);
