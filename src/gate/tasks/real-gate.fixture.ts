import {
  type Actor,
  createIdentifiers,
  type Fault,
  type Json,
  systemRandom,
} from '../../kernel/index.ts';
import { makeDirectory, openTestGate, removeDirectory, type TestGate } from '../gate.fixture.ts';
import { withJoins } from '../joins/index.ts';
import type { PolicyDocument } from '../language/index.ts';
import type { TaskBudget, TaskRow } from './api-schema.ts';
import { findTask, type TaskCommandDeps } from './commands.ts';

export const ada: Actor = 'agent:ada';
export const bob: Actor = 'agent:bob';
export const eve: Actor = 'agent:eve';
export const grace: Actor = 'person:grace';

const taskTools = [
  ...['task.open', 'task.split', 'task.finish', 'task.move', 'task.cancel'],
  ...['task.join', 'task.grade', 'task.renew', 'lock.acquire', 'lock.release', 'lock.renew'],
];
const text = { type: 'string', maxLength: 40 };

export const policy: PolicyDocument = {
  version: 1,
  tools: {
    'order.get': {
      effect: 'read',
      arguments: { type: 'object', required: ['id'], properties: { id: text } },
      produces: [{ evidence: 'order-seen', subject: 'arguments.id' }],
    },
    'order.pay': {
      effect: 'mutating',
      arguments: {
        type: 'object',
        required: ['id', 'amount'],
        properties: { id: text, amount: { type: 'integer', minimum: 1, maximum: 1_000_000 } },
      },
      resources: ['"order/" + arguments.id'],
      governance: {
        cost: { money: 'arguments.amount' },
        actualCost: { money: 'result.paid' },
        approval: { when: 'arguments.amount > 5000', role: 'approver', within: '1h' },
      },
    },
  },
  agents: {
    ada: { tools: ['task.*', 'lock.*', 'order.*'] },
    bob: { tools: ['task.*', 'lock.*', 'order.*'] },
    eve: { tools: ['task.*', 'lock.*', 'order.*'] },
  },
};

/** Tasks on the real gate, with tools whose end a test can hold up. */
export class RealGate {
  readonly gate: TestGate;
  readonly deps: TaskCommandDeps;
  /** What a payment does before it answers; it answers with what was paid. */
  pay: (amount: number, id: string) => Promise<number> = async (amount) => amount;
  payments = 0;

  private constructor(gate: TestGate) {
    this.gate = gate;
    const { act, actInLedger, ledger, clock } = gate;
    this.deps = withJoins({
      ...{ act, actInLedger, ledger },
      makeIdentifier: createIdentifiers(clock, systemRandom),
    });
  }

  static async open(document: PolicyDocument = policy): Promise<RealGate> {
    const pay = async (amount: number, id: string): Promise<Json> => {
      const paid = await real.pay(amount, id);
      real.payments++;
      return { paid };
    };
    const gate = await openTestGate({
      directory: makeDirectory(),
      policy: document,
      natives: taskTools,
      tools: {
        'order.get': async ({ arguments: { id } }) => ({ id: String(id) }),
        'order.pay': ({ arguments: { amount, id } }) => pay(Number(amount), String(id)),
      },
    });
    const real = new RealGate(gate);
    return real;
  }

  /** Closes it. What it leaves is sound, or the test fails. */
  async close(): Promise<{ different: number; differences: readonly unknown[] }> {
    const { different } = await this.gate.replay();
    const { differences } = await this.gate.rebuild();
    await this.gate.close();
    removeDirectory(this.gate.directory);
    return { different, differences };
  }

  find(task: string): Promise<TaskRow> {
    return findTask(this.gate.ledger, task);
  }

  async money(task: string): Promise<TaskBudget> {
    return (await this.find(task)).budgets.money as TaskBudget;
  }

  payFor(actor: Actor, task: string, amount: number, more: object = {}) {
    const given = { id: 'o1', amount, ...more };
    return this.gate.propose({ actor, tool: 'order.pay', task, arguments: given });
  }

  look(actor: Actor, task: string, id = 'o1') {
    return this.gate.propose({ actor, tool: 'order.get', task, arguments: { id } });
  }

  async entries(kind: string) {
    const all = await this.gate.ledger.entries(1, 10_000);
    return all.filter((entry) => entry.kind === kind);
  }
}

export async function refusalOf(work: Promise<unknown>): Promise<Fault> {
  return work.then(
    (value) => Promise.reject(new Error(`it was not refused: ${JSON.stringify(value)}`)),
    (error) => error as Fault,
  );
}

export const rulesOf = ({ details }: Fault): string[] =>
  ((details?.rules ?? []) as { rule: string }[]).map(({ rule }) => rule);
