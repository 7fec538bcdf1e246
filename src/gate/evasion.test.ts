import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fault, type JsonObject, type Proposal } from '../kernel/index.ts';
import {
  makeDirectory,
  openTestGate,
  removeDirectory,
  type TestGate,
  type ToolFunctions,
} from './gate.fixture.ts';
import type { PolicyDocument } from './language/index.ts';

/** Ways around the gate that were found. Each one worked once. */
let directory: string;
let gate: TestGate;

beforeEach(() => {
  directory = makeDirectory();
});
afterEach(async () => {
  await gate.close();
  removeDirectory(directory);
});

type Tools = NonNullable<PolicyDocument['tools']>;
type Agents = NonNullable<PolicyDocument['agents']>;

async function open(tools: Tools, agents: Agents, run: ToolFunctions, natives: string[] = []) {
  gate = await openTestGate({
    directory,
    policy: { version: 1, tools, agents },
    tools: run,
    natives,
  });
}

const text = { type: 'string', maxLength: 100 };
const whole = { type: 'integer', minimum: 0, maximum: 10_000 };
const takes = (properties: Record<string, object>): JsonObject =>
  ({ type: 'object', properties }) as unknown as JsonObject;

const propose = (tool: string, given: JsonObject = {}, more: Partial<Proposal> = {}) =>
  gate.propose({ actor: 'agent:ada', tool, arguments: given, ...more });

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    (outcome) => (outcome as { status: string }).status,
    (error) => error.details?.rule ?? error.code,
  );

const inDoubt = () => Promise.reject(fault('TOOL_IN_DOUBT', { reason: 'the line went dead' }));

async function moneyOf(): Promise<unknown> {
  for await (const { key, value } of gate.ledger.rows<JsonObject>('account/agent:ada')) {
    if (key === 'account/agent:ada') return value.money;
  }
  return undefined;
}

const budget = { budgets: [{ dimension: 'money', limit: 100 }] };

describe('the recorded history of an agent', () => {
  test("cannot be forged with a tool's name or written by another agent", async () => {
    const verified = 'trajectory.exists(t, t.tool == "verify" && t.outcome == "committed")';
    await open(
      {
        refund: {
          effect: 'mutating',
          arguments: takes({}),
          invariants: [{ rule: 'verified', that: verified }],
        },
      },
      { ada: { tools: ['*'] }, bob: { tools: ['*'] } },
      { refund: async () => 1 },
    );
    expect(await codeOf(propose('refund'))).toBe('refund/verified');
    expect(await codeOf(propose('verify 0123456789abcdef committed -'))).toBe('NAME_INVALID');
    const bob = { actor: 'agent:bob', task: 'agent:ada' } as const;
    expect(await codeOf(propose('verify', {}, bob))).toBe('NAME_INVALID');
    expect(await codeOf(propose('refund'))).toBe('refund/verified');
  });

  test('cannot be evaded by opening a task or withholding an outcome', async () => {
    await open(
      {
        'web.fetch': { effect: 'read', arguments: takes({}) },
        pay: {
          effect: 'mutating',
          arguments: takes({}),
          invariants: [{ rule: 'clean', that: '!("web.fetch" in begun)' }],
        },
      },
      { ada: { tools: ['*'] } },
      { 'web.fetch': async () => 'page', pay: async () => 1 },
      ['task.open'],
    );
    const body = { task: 'task_1', agent: 'agent:ada' };
    await gate.ledger.append({ kind: 'task-opened', actor: 'agent:ada', body });
    await gate.grant({ actor: 'agent:ada', tool: 'web.fetch', arguments: {} }, 'browser');
    expect(await codeOf(propose('pay'))).toBe('pay/clean');
    expect(await codeOf(propose('pay', {}, { task: 'task_1' }))).toBe('pay/clean');
  });

  test('counts as evidence only if the runtime observed it', async () => {
    await open(
      {
        'test.run': {
          effect: 'mutating',
          arguments: takes({ id: text }),
          produces: [{ evidence: 'tested', subject: 'arguments.id' }],
        },
        deploy: {
          effect: 'mutating',
          arguments: takes({ id: text }),
          governance: { evidence: [{ kind: 'tested', subject: 'arguments.id', freshFor: '1h' }] },
        },
      },
      { ada: { tools: ['*'] } },
      { 'test.run': async () => ({ ok: true }), deploy: async () => 1 },
    );
    const asked = { actor: 'agent:ada', tool: 'test.run', arguments: { id: '1' } } as const;
    const granted = await gate.grant(asked, 'me');
    if (granted.status !== 'granted') throw new Error('it was not granted');
    await gate.redeem(granted.token);
    await gate.settle(granted.token, { status: 'committed', value: { ok: true } });
    expect(await codeOf(propose('deploy', { id: '1' }))).toBe('evidence/tested');
    await propose('test.run', { id: '1' });
    expect(await codeOf(propose('deploy', { id: '1' }))).toBe('committed');
    expect(await codeOf(propose('deploy', { id: '2' }))).toBe('evidence/tested');
  });
});

describe('recovery', () => {
  const pay = (more: Partial<Tools[string]> = {}): Tools[string] => ({
    effect: 'idempotent',
    arguments: takes({ n: whole, to: text }),
    governance: {
      cost: { money: 'arguments.n' },
      actualCost: { money: 'result.paid' },
      timeout: '20s',
    },
    results: [{ rule: 'same', that: 'result.paid == arguments.n' }],
    recovery: { steps: [{ retry: { times: 2, backoff: '10ms' } }] },
    ...more,
  });

  test('does not mistake the failure of a second call for that of the first', async () => {
    const effects: string[] = [];
    const steps = [
      { retry: { times: 1, backoff: '10ms' } },
      { fallback: { tool: 'other', with: {} } },
    ];
    await open(
      { pay: pay({ recovery: { steps } }), other: { effect: 'mutating', arguments: takes({}) } },
      { ada: { tools: ['pay'] } },
      {
        pay: () => {
          if (effects.length > 0) return Promise.reject(new Error('connection refused'));
          effects.push('pay');
          return inDoubt();
        },
        other: async () => effects.push('other'),
      },
    );
    expect(await codeOf(propose('pay', { n: 1 }))).toBe('unknown');
    expect(effects).toEqual(['pay']);
  });

  test('checks the result of a retry against the contract', async () => {
    let calls = 0;
    await open(
      { pay: pay() },
      { ada: { tools: ['pay'], ...budget } },
      {
        pay: async () => (++calls === 1 ? inDoubt() : { paid: 90 }),
      },
    );
    expect(await propose('pay', { n: 10 })).toMatchObject({ fault: { code: 'RESULT_REFUSED' } });
    expect(await moneyOf()).toMatchObject({ spent: 90, reserved: 0 });
  });

  test('calls no tool with arguments that differ from the granted ones', async () => {
    const calls: JsonObject[] = [];
    const tools = { pay: pay({ results: [] }) };
    const agents = { ada: { tools: ['pay'] } };
    await open(tools, agents, { pay: () => new Promise<never>(() => undefined) });
    void propose('pay', { n: 1, to: 'bob' }, { subject: 'bob' }).catch(() => undefined);
    await expect.poll(() => gate.kinds()).toContain('proposal-granted');
    await gate.ledger.shred('bob', 'person:grace');
    await gate.close();
    await open(tools, agents, {
      pay: async ({ arguments: given }) => {
        calls.push(given);
        return 1;
      },
    });
    await gate.recoverInterrupted();
    await gate.maintain((error) => {
      throw error;
    });
    expect(calls).toEqual([]);
    expect(gate.notices).toMatchObject([{ event: 'recovery-held' }]);
  });

  test('does not continue after a stop', async () => {
    let calls = 0;
    await open(
      { pay: pay() },
      { ada: { tools: ['pay'] } },
      {
        pay: async () => {
          if (++calls === 1) {
            await gate.stop({ scope: 'workspace', reason: 'enough', actor: 'person:grace' });
          }
          throw new Error('503');
        },
      },
    );
    await propose('pay', { n: 1 });
    expect(calls).toBe(1);
  });

  test('does not repeat a call that is still running in this process', async () => {
    let effects = 0;
    const steps = [
      { reconcile: { read: 'find', with: {}, committed: 'read > 0', failed: 'read == 0' } },
      { retry: { times: 1, backoff: '1ms' } },
    ];
    const slow = { ...pay().governance, actualCost: {}, timeout: '100ms' };
    await open(
      {
        find: { effect: 'read', arguments: takes({}), result: { type: 'integer' } },
        pay: pay({ effect: 'mutating', results: [], governance: slow, recovery: { steps } }),
      },
      { ada: { tools: ['pay'] } },
      {
        find: async () => effects,
        pay: async () => {
          await delay(400);
          return ++effects;
        },
      },
    );
    expect(await codeOf(propose('pay', { n: 1 }))).not.toBe('committed');
    await delay(500);
    expect(effects).toBe(1);
  });

  test('notifies a person when an undo step fails', async () => {
    const undo = { compensate: { tool: 'undo', with: {} } };
    await open(
      {
        pay: pay({ recovery: { steps: [undo] } }),
        undo: {
          effect: 'mutating',
          arguments: takes({}),
          governance: { approval: { role: 'approver', within: '1h' } },
        },
      },
      { ada: { tools: ['pay'] } },
      { pay: async () => ({ paid: 5 }), undo: async () => 1 },
    );
    expect(await codeOf(propose('pay', { n: 10 }))).toBe('unknown');
    expect(gate.notices.map(({ event }) => event)).toEqual(['proposal-held', 'recovery-held']);
  });
});

describe('a budget', () => {
  test('is charged the real cost even if the estimate was zero', async () => {
    const governance = { cost: { money: 'arguments.max' }, actualCost: { money: 'result.used' } };
    await open(
      { ask: { effect: 'mutating', arguments: takes({ max: whole }), governance } },
      { ada: { tools: ['ask'], ...budget } },
      { ask: async () => ({ used: 1_000 }) },
    );
    expect(await codeOf(propose('ask', { max: 0 }))).toBe('committed');
    expect(await moneyOf()).toMatchObject({ spent: 1_000 });
    expect(await codeOf(propose('ask', { max: 0 }))).toBe('budget/money');
  });

  test.each<[string, Error]>([
    ['long', new Error('x'.repeat(100_000))],
    ['no text at all', new Error('bad \ud800')],
  ])('gets its reservation back after a failure whose message is %s', async (_, error) => {
    const governance = { cost: { money: '10' }, key: '"one"' };
    await open(
      { pay: { effect: 'mutating', arguments: takes({}), governance } },
      { ada: { tools: ['pay'], ...budget } },
      { pay: () => Promise.reject(error) },
    );
    expect(await codeOf(propose('pay'))).toBe('failed');
    expect(await codeOf(propose('pay'))).toBe('failed');
    expect(await moneyOf()).toEqual({ spent: 0, reserved: 0 });
  });
});

describe('authority', () => {
  test('counts an approval only for the role that gave it', async () => {
    const approval = { role: 'admin', within: '1h' };
    const pay = { effect: 'mutating', arguments: takes({}) } as const;
    await open(
      { pay },
      { ada: { tools: ['pay'], autonomy: 'supervised' } },
      { pay: async () => 1 },
    );
    const held = await propose('pay').catch((error) => error);
    const { approval: id, argumentsHash } = held.details;
    const grace = { actor: 'person:grace', roles: ['approver'], reason: '' } as const;
    await gate.approve({ approval: id, argumentsHash, ...grace });
    await gate.adopt({
      version: 1,
      tools: { pay: { ...pay, governance: { approval } } },
      agents: { ada: { tools: ['pay'] } },
    });
    expect(await codeOf(propose('pay'))).toBe('PROPOSAL_HELD');
  });

  test.each([
    ['read-only', 'autonomy'],
    ['supervised', 'PROPOSAL_HELD'],
  ] as const)('enforces %s for Surety’s own tools, too', async (autonomy, answer) => {
    await open({}, { ada: { tools: ['*'], autonomy } }, {}, ['probe.place', 'task.open']);
    const act = (tool: string) =>
      gate.act({ actor: 'agent:ada', tool, arguments: {} }, async () => 1);
    expect(await codeOf(act('probe.place'))).toBe(answer);
    expect(await codeOf(act('task.open'))).toBe('committed');
  });

  test('resolves the parts of a path that leads out of the allowed directory', async () => {
    await open(
      {
        write: {
          effect: 'mutating',
          arguments: takes({ path: text }),
          resources: ['arguments.path'],
        },
      },
      { ada: { tools: ['write'], resources: ['/repo/*'] } },
      { write: async () => 1 },
    );
    expect(await codeOf(propose('write', { path: '/repo/a.txt' }))).toBe('committed');
    expect(await codeOf(propose('write', { path: '/repo/../etc/passwd' }))).toBe('resources.path');
  });

  test('reveals no outcome through a key that the caller could not have used', async () => {
    const own = [{ rule: 'own', that: 'arguments.customer == "bobs"' }];
    await open(
      {
        make: {
          effect: 'mutating',
          arguments: takes({ customer: text }),
          governance: { key: 'arguments.customer' },
        },
      },
      { ada: { tools: ['make'] }, bob: { tools: ['make'], constraints: { make: own } } },
      { make: async () => 'secret' },
    );
    await propose('make', { customer: 'adas' });
    const bob = { actor: 'agent:bob' } as const;
    expect(await codeOf(propose('make', { customer: 'adas' }, bob))).toBe('policy/make/own');
  });

  test('denies when a read hangs, and reads nothing during a stop', async () => {
    let reads = 0;
    const look = {
      effect: 'read',
      arguments: takes({}),
      governance: { timeout: '100ms' },
    } as const;
    const governance = { timeout: '20s' };
    await open(
      {
        look,
        pay: {
          effect: 'mutating',
          arguments: takes({}),
          reads: { it: { tool: 'look', with: {} } },
          governance,
        },
      },
      { ada: { tools: ['pay'] } },
      {
        look: () => {
          reads++;
          return new Promise<never>(() => undefined);
        },
        pay: async () => 1,
      },
    );
    expect(await codeOf(propose('pay'))).toBe('reads');
    await gate.stop({ scope: 'tool:look', reason: 'incident', actor: 'person:grace' });
    expect(await codeOf(propose('pay'))).toBe('reads');
    expect(reads).toBe(1);
  });
});
