import { openJoin } from '../../src/gate/joins/index.ts';
import { acquireLock, releaseLock } from '../../src/gate/locks/index.ts';
import { finishTask, openTask, splitTask } from '../../src/gate/tasks/index.ts';
import type { Round } from '../bench.ts';
import { agentOf, inParallel, type Scene } from './scene.ts';
import { round } from './timing.ts';

const perRound = 1_000;
const childrenPerJoin = 4;
const parents = perRound / 20;

export type Rounds = Readonly<Record<string, Round>>;

/** Each operation many times, one kind after the other. The scene then has as many tasks again. */
export async function measureOperations(scene: Scene): Promise<Rounds> {
  const { deps } = scene;
  const opened = await inParallel(parents, async (index) => {
    const agent = agentOf(index);
    return { agent, ...(await openTask(agent, { goal: 'work' }, deps)) };
  });
  const parentOf = (index: number) => opened[index % parents] as (typeof opened)[number];
  const children: string[][] = opened.map(() => []);
  const split = await round(perRound, async (index) => {
    const { agent, task } = parentOf(index);
    const child = await splitTask(agent, task, { goal: 'a part' }, deps);
    children[index % parents]?.push(child.task);
  });
  const joins = perRound / childrenPerJoin;
  const join = await round(joins, async (index) => {
    const { agent, task } = parentOf(index);
    const first = Math.floor(index / parents) * childrenPerJoin;
    const some = children[index % parents]?.slice(first, first + childrenPerJoin) ?? [];
    if (some.length !== childrenPerJoin) throw new Error('a join has too few children');
    await openJoin(agent, task, { mode: 'all', children: some }, deps);
  });
  const finish = await round(perRound, async (index) => {
    const child = children[index % parents]?.[Math.floor(index / parents)] ?? '';
    await finishTask(parentOf(index).agent, child, 'done', deps);
  });
  await inParallel(parents, (index) => {
    const { agent, task } = parentOf(index);
    return finishTask(agent, task, 'done', deps);
  });
  return { split, join, finish, ...(await measureLocks(scene)) };
}

let names = 0;

async function measureLocks({ deps }: Scene): Promise<Rounds> {
  const held: { lock: string; fence: number }[] = [];
  const first = names;
  names += perRound;
  const acquire = await round(perRound, async (index) => {
    const lock = `lock-${first + index}`;
    const terms = { slots: 1, leaseMs: 600_000, priority: 0, queueMs: 0 };
    const { fence } = await acquireLock(agentOf(index), { lock, ...terms }, deps);
    held[index] = { lock, fence: Number(fence) };
  });
  const release = await round(perRound, async (index) => {
    await releaseLock(agentOf(index), held[index] as (typeof held)[number], deps);
  });
  return { acquire, release };
}

/** Finishes all children of one join. */
export async function measureWideJoin(scene: Scene, width: number): Promise<Round> {
  const { deps } = scene;
  const agent = agentOf(0);
  const { parent, children } = await scene.family(agent, width);
  await openJoin(agent, parent, { mode: 'all', children }, deps);
  return round(width, async (index) => {
    await finishTask(agent, children[index] ?? '', 'done', deps);
  });
}
