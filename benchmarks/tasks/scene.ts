import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withJoins } from '../../src/gate/joins/index.ts';
import type { PolicyDocument } from '../../src/gate/language/index.ts';
import { openTask, splitTask, type TaskCommandDeps } from '../../src/gate/tasks/index.ts';
import type { Actor } from '../../src/kernel/index.ts';
import { openSqliteStore } from '../../src/ledger/sqlite/store.ts';
import { openBenchGate } from '../gate/workload.ts';

const agentCount = 8;
const callers = 64;
const childrenPerParent = 500;

export const agentOf = (index: number): Actor => `agent:agent-${index % agentCount}`;

/** Agents that may do everything that this benchmark does. */
function policy(): PolicyDocument {
  const names = Array.from({ length: agentCount }, (_, index) => `agent-${index}`);
  const tools = ['task.*', 'lock.*'];
  return { version: 1, agents: Object.fromEntries(names.map((name) => [name, { tools }])) };
}

/** The real gate on a real SQLite file, with the commands that the API calls. */
export class Scene {
  readonly deps: TaskCommandDeps;
  #tasks = 0;
  readonly #close: () => Promise<void>;

  private constructor(deps: TaskCommandDeps, close: () => Promise<void>) {
    this.deps = deps;
    this.#close = close;
  }

  static async open(): Promise<Scene> {
    const directory = mkdtempSync(join(tmpdir(), 'surety-bench-'));
    const store = openSqliteStore({ file: join(directory, 'ledger.db'), workspace: 'bench' });
    const { gate, deps, ledger } = await openBenchGate(store, policy());
    const { makeIdentifier } = deps;
    return new Scene(withJoins({ ...gate, ledger, makeIdentifier }), async () => {
      await ledger.close();
      rmSync(directory, { recursive: true });
    });
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Opens tasks until there are so many. */
  async grow(tasks: number): Promise<void> {
    while (this.#tasks < tasks) {
      const count = Math.min(tasks - this.#tasks, childrenPerParent + 1);
      await this.family(agentOf(this.#tasks), count - 1);
      this.#tasks += count;
    }
  }

  /** A task with children, all of one agent. */
  async family(agent: Actor, children: number): Promise<{ parent: string; children: string[] }> {
    const { task: parent } = await openTask(agent, { goal: 'work' }, this.deps);
    const split = async (index: number): Promise<string> =>
      (await splitTask(agent, parent, { goal: `part ${index}` }, this.deps)).task;
    return { parent, children: await inParallel(children, split) };
  }
}

/** Does it `count` times, with as many at once as a busy daemon has callers. */
export async function inParallel<Value>(
  count: number,
  work: (index: number) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      values[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(callers, count) }, caller));
  return values;
}
