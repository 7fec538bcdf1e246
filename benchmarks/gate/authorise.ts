import { ask } from '../../src/gate/ask.ts';
import { openTask } from '../../src/gate/tasks/index.ts';
import { atMost, type BenchResult, interleave, median, type Say } from '../bench.ts';
import { openPeer } from './agent-governance.ts';
import { type Latencies, latencies, latencyRow } from './latencies.ts';
import { MemoryStore } from './memory-store.ts';
import { type BenchGate, openBenchGate, refund } from './workload.ts';

const rounds = 9;
const perRound = 2_000;
const priorActions = 100_000;
const openTasks = 1_000;
/** One for each agent: tells what a task costs from what many tasks cost. */
const fewTasks = 8;

/** One proposal after another: rules, budget, key and a chained entry, with nothing on a disk. */
export async function measureAuthorise(say: Say): Promise<BenchResult> {
  const empty = await openState();
  say(`making ${priorActions.toLocaleString('en')} prior actions`);
  const full = await openState();
  await act(full, priorActions);
  const few = await openState();
  const fewNames = await openMany(few, fewTasks);
  const many = await openState();
  const manyNames = await openMany(many, openTasks);
  const contenders = [
    enter('authorise, empty state', empty),
    enter(`authorise, after ${priorActions.toLocaleString('en')} actions`, full),
    enter(`authorise in a task, ${fewTasks} open`, few, fewNames),
    enter(`authorise in a task, ${openTasks.toLocaleString('en')} open`, many, manyNames),
    openPeer(perRound),
  ];
  say('authorise in memory');
  const measured = await interleave(contenders, rounds, say);
  const [first, history, one, thousand] = contenders as [
    Latencies,
    Latencies,
    Latencies,
    Latencies,
  ];
  const ratio = (late: Latencies, early: Latencies): number =>
    median(late.medians().map((value, index) => value / (early.medians()[index] ?? value)));
  return {
    bars: [
      atMost(
        'gate.authorise',
        'in memory, p50: rules, budget, key, entry',
        median(first.medians()),
        60,
        'µs',
      ),
      atMost(
        'gate.history',
        `after ${priorActions.toLocaleString('en')} actions, relative to the empty state`,
        ratio(history, first),
        1.2,
        '×',
      ),
      atMost(
        'gate.tasks',
        `in one of ${openTasks.toLocaleString('en')} open tasks, relative to the empty state`,
        ratio(thousand, first),
        1.2,
        '×',
      ),
      atMost(
        'gate.tasks.growth',
        `in one of ${openTasks.toLocaleString('en')} open tasks, relative to one of ${fewTasks}`,
        ratio(thousand, one),
        1.2,
        '×',
      ),
    ],
    rows: contenders.map((each) => latencyRow(each, measured.get(each.name) ?? [])),
  };
}

interface State extends BenchGate {
  readonly store: MemoryStore;
  next: number;
}

async function openState(): Promise<State> {
  const store = new MemoryStore();
  return { ...(await openBenchGate(store.asStore())), store, next: 0 };
}

async function act(state: State, count: number): Promise<void> {
  const caller = async (): Promise<void> => {
    while (state.next < count) {
      const { status } = await state.gate.act(refund(state.next++), async () => ({ paid: true }));
      if (status !== 'committed') throw new Error(`a prior action ended as ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 64 }, caller));
}

async function openMany({ gate, ledger, deps }: State, count: number): Promise<string[]> {
  const { makeIdentifier } = deps;
  const names: string[] = [];
  for (let index = 0; index < count; index++) {
    const wish = { goal: `goal ${index}`, budgets: { money: 10 ** 9 } };
    const commands = { ...gate, ledger, makeIdentifier };
    names.push((await openTask(refund(index).actor, wish, commands)).task);
  }
  return names;
}

function enter(name: string, state: State, tasks: readonly string[] = []): Latencies {
  return latencies(
    name,
    perRound,
    async () => {
      const index = state.next++;
      const task = tasks.length > 0 ? tasks[index % tasks.length] : undefined;
      const { admission } = await ask(refund(index, task), {}, state.deps);
      if (admission.verdict !== 'grant') throw new Error(`${name}: ${admission.verdict}`);
    },
    async (done) => {
      if (state.store.entries < done)
        throw new Error(`${name}: ${state.store.entries} entries for ${done}`);
    },
  );
}
