import type { Actor, Instant, Json, JsonObject } from '../../kernel/index.ts';
import { type Entry, MemoryRows, type Projection, type Rows } from '../../ledger/index.ts';
import { accounts, type Charge } from '../accounts/index.ts';
import { gateLimits } from '../limits.ts';
import { slots } from '../slots/index.ts';
import type { TaskRow } from './api-schema.ts';
import { tasks } from './projection.ts';
import { taskKey, taskPrefix } from './task-row.ts';

const projections: readonly Projection[] = [accounts, slots, tasks];

/** Rows by the real projections, from entries made by hand. */
export class World {
  readonly rows: MemoryRows = new MemoryRows();
  now: Instant = 1_700_000_000_000;
  #seq = 0;

  apply(kind: string, body: JsonObject, actor: Actor = 'agent:ada'): void {
    const entry = { kind, actor, body, seq: ++this.#seq, at: this.now } as Entry;
    // As the ledger does it: a change that fails half-way leaves no trace.
    const staged = new Map<string, Json | undefined>();
    for (const projection of projections) {
      if (!projection.kinds.includes(kind)) continue;
      projection.apply(named(this.rows, staged, projection.keys(entry)), entry);
    }
    for (const [key, value] of staged) this.rows.set(key, value);
  }

  open(task: string, budgets: Readonly<Record<string, number>>, more: JsonObject = {}): void {
    this.apply('task-opened', { task, budgets, ...more });
  }

  split(parent: string, task: string, budgets: Readonly<Record<string, number>>): void {
    const path = [...this.task(parent).path, parent];
    this.apply('task-split', { task, parent, path, budgets });
  }

  grant(proposal: string, task: string, charges: readonly Charge[], more: JsonObject = {}): void {
    const taskPath = this.task(task).path;
    this.apply('proposal-granted', { proposal, about: task, taskPath, charges, ...more });
  }

  /** `actual` by budget; as reserved if left out. */
  settle(
    proposal: string,
    task: string,
    charges: readonly Charge[],
    actual: (charge: Charge) => number = ({ amount }) => amount,
    more: JsonObject = {},
  ): void {
    const settled = charges.map((charge) => {
      const { account, budget, amount } = charge;
      return { account, budget, reserved: amount, actual: actual(charge) };
    });
    const taskPath = this.task(task).path;
    this.apply('proposal-committed', { proposal, about: task, taskPath, settled, ...more });
  }

  end(kind: 'task-closed' | 'task-cancelled', task: string): void {
    const { parent, path, expiresAt } = this.task(task);
    this.apply(kind, { task, parent, path, expiresAt });
  }

  task(task: string): TaskRow {
    return this.rows.get<TaskRow>(taskKey(task)) as TaskRow;
  }

  tasks(): TaskRow[] {
    return [...this.rows.left()].flatMap(([key, value]) =>
      key.startsWith(taskPrefix) ? [JSON.parse(value) as TaskRow] : [],
    );
  }
}

export const inTask = (task: string, budget: string, amount: number): Charge => ({
  account: taskKey(task),
  budget,
  amount,
});

/** Only what a projection named may be touched, and what it read stays as it is. */
function named(rows: Rows, staged: Map<string, Json | undefined>, keys: readonly string[]): Rows {
  const check = (key: string): void => {
    if (!keys.includes(key)) throw new Error(`${key} was not among the keys`);
    if (!/^[\x21-\x7e]{1,400}$/.test(key)) throw new Error(`${key} is no key`);
  };
  return {
    get: <Value extends Json>(key: string) => {
      check(key);
      return (staged.has(key) ? staged.get(key) : rows.get(key)) as Value | undefined;
    },
    set: (key, value) => {
      check(key);
      staged.set(key, value === undefined ? undefined : deepFreeze(value));
    },
  };
}

function deepFreeze(value: Json): Json {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'number' && Math.abs(value) > gateLimits.amountMax)
      throw new Error('inexact');
    return value;
  }
  for (const member of Object.values(value)) deepFreeze(member as Json);
  return Object.freeze(value);
}
