import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PolicyDocument } from '../src/gate/index.ts';
import { openTask, splitTask } from '../src/gate/tasks/index.ts';
import { createClock, type Proposal } from '../src/kernel/index.ts';
import { runs } from './harness/deep.ts';
import { type OpenGate, openGateAt } from './harness/gate/gate-place.ts';
import { Scratch } from './harness/scratch.ts';

const given = {
  type: 'object',
  required: ['amount'],
  properties: { amount: { type: 'integer', minimum: 1, maximum: 100_000 } },
};
const cost = { money: 'arguments.amount' };

const policy: PolicyDocument = {
  version: 1,
  tools: {
    look: { effect: 'read', arguments: given, run: { command: ['cat'] } },
    send: { effect: 'mutating', arguments: given, governance: { cost, timeout: '60s' } },
    large: {
      effect: 'mutating',
      arguments: given,
      governance: { cost, approval: { role: 'approver', within: '1h' } },
    },
    note: { effect: 'mutating', arguments: given },
  },
  agents: {
    ada: {
      tools: ['*'],
      budgets: [{ dimension: 'money', limit: 1_000, per: '1d' }],
      limits: { sameProposal: 30, sameError: 30 },
    },
    bob: { tools: ['send', 'task.*'] },
  },
};

const hourMs = 3_600_000;
/** Where a day and a part of its window begin: what is spent here comes back as late as can be. */
const midnightMs = Date.parse('2026-03-01T00:00:00Z');
let scratch: Scratch;
let gate: OpenGate;
/** How far the wall clock of this machine was stepped. */
let steppedMs: number;

beforeEach(async () => {
  scratch = new Scratch();
  steppedMs = 0;
  const startedMs = performance.now();
  const clock = createClock({
    wallMs: () => midnightMs + performance.now() - startedMs + steppedMs,
    monotonicMs: () => performance.now(),
  });
  const place = { directory: scratch.path, executor: 'here' };
  gate = await openGateAt(place, { policy, environment: {}, clock });
});
afterEach(async () => {
  await gate.close();
  scratch[Symbol.dispose]();
});

const ada = { actor: 'agent:ada' as const };
const wish = (tool: string, amount: number): Proposal => ({ ...ada, tool, arguments: { amount } });
const run = async () => ({ done: true });
const code = (wanted: string) => expect.objectContaining({ code: wanted });

async function attempts(): Promise<unknown[]> {
  const entries = await gate.ledger.entries(1, 1_000);
  const refused = entries.filter(({ kind }) => kind === 'attempt-refused');
  return refused.map(({ body }) => `${body.what}: ${body.code}`);
}

async function held(): Promise<{ approval: string; argumentsHash: string }> {
  const error = await gate.act(wish('large', 5), run).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'PROPOSAL_HELD' });
  return error.details;
}

const grace = { actor: 'person:grace' as const, roles: ['approver'], reason: 'ok' };

describe('an expired permission', () => {
  // proves: kernel.clock
  test('such as a late approval is refused, also when the clock moves back', async () => {
    const asked = await held();
    steppedMs = hourMs;
    await expect(gate.approve({ ...asked, ...grace })).rejects.toEqual(code('APPROVAL_EXPIRED'));
    steppedMs = -24 * hourMs;
    await expect(gate.approve({ ...asked, ...grace })).rejects.toEqual(code('APPROVAL_EXPIRED'));
    expect(await attempts()).toEqual(Array(2).fill('approval: APPROVAL_EXPIRED'));
  });

  test('such as an unused approval is refused', async () => {
    await gate.approve({ ...(await held()), ...grace });
    steppedMs = hourMs;
    await held();
    steppedMs = 0;
    await held();
  });

  test('such as a grant ends, also when the clock moves back, and its call is investigated', async () => {
    const granted = await gate.grant(wish('send', 5), 'bank');
    if (granted.status !== 'granted') throw new Error(granted.status);
    steppedMs = 61_000;
    await expect(gate.redeem(granted.token)).rejects.toEqual(code('GRANT_REFUSED'));
    steppedMs = -hourMs;
    await expect(gate.redeem(granted.token)).rejects.toEqual(code('GRANT_REFUSED'));
    expect(await attempts()).toEqual(Array(2).fill('redemption: GRANT_REFUSED'));
    await gate.maintain((error) => {
      throw error;
    });
    expect(gate.notices).toMatchObject([{ event: 'recovery-held' }]);
    const late = gate.settle(granted.token, { status: 'committed', value: null });
    await expect(late).rejects.toEqual(code('GRANT_REFUSED'));
  });

  test('frees budget only after a day and a twentieth, not when the clock moves back', async () => {
    await gate.act(wish('send', 900), run);
    for (const stepped of [-2 * hourMs, -48 * hourMs, 25 * hourMs]) {
      steppedMs = stepped;
      await expect(gate.act(wish('send', 200), run)).rejects.toEqual(code('PROPOSAL_DENIED'));
    }
    steppedMs = 1.05 * 24 * hourMs;
    expect(await gate.act(wish('send', 200), run)).toMatchObject({ status: 'committed' });
  });
});

describe('a delegation', () => {
  const deps = () => gate;
  const root = () =>
    openTask('agent:ada', { goal: 'pay', tools: ['send'], budgets: { money: 100 } }, deps());

  test.each<[string, object]>([
    ['more money than is left', { budgets: { money: 101 } }],
    ['a negative amount', { budgets: { money: -1 } }],
    ['more than any amount', { budgets: { money: Number.MAX_SAFE_INTEGER + 1 } }],
    ['another tool', { tools: ['note'] }],
    ['all tools', { tools: ['*'] }],
  ])('of %s is refused', async (_, more) => {
    const { task } = await root();
    const split = splitTask('agent:ada', task, { goal: 'x', ...more }, deps());
    await expect(split).rejects.toHaveProperty('code');
    const last = (await gate.ledger.entries(1, 1_000)).at(-1);
    expect(['attempt-refused', 'proposal-failed']).toContain(last?.kind);
    expect(last?.actor).toBe('agent:ada');
    const rows = [];
    for await (const row of gate.ledger.rows('task/')) rows.push(row);
    expect(rows).toMatchObject([{ value: { budgets: { money: { carved: 0 } } } }]);
  });

  test("of another agent's task is refused and spends nothing", async () => {
    const { task } = await root();
    const wished = { goal: 'x', budgets: { money: 10 } };
    await expect(splitTask('agent:bob', task, wished, deps())).rejects.toHaveProperty('code');
    const forged: Proposal = { ...wish('send', 5), actor: 'agent:bob', task };
    await expect(gate.act(forged, run)).rejects.toEqual(code('PROPOSAL_DENIED'));
    await expect(gate.act({ ...wish('note', 5), task }, run)).rejects.toEqual(
      code('PROPOSAL_DENIED'),
    );
    await expect(gate.act({ ...wish('send', 101), task }, run)).rejects.toEqual(
      code('PROPOSAL_DENIED'),
    );
    expect(await gate.act({ ...wish('send', 100), task }, run)).toMatchObject({
      status: 'committed',
    });
  });
});

describe('idempotency keys', () => {
  const flood = runs(4_000, 20_000);

  // proves: gate.once
  test('are never forgotten, however many follow', async () => {
    let effects = 0;
    const effect = async () => ({ effect: ++effects });
    const send = (index: number) =>
      gate.act({ ...wish('note', index + 1), key: `key-${index}` }, effect);
    const first = await send(0);
    for (let index = 1; index <= flood; index += 2_000) {
      await Promise.all(Array.from({ length: 2_000 }, (_, more) => send(index + more)));
    }
    expect(effects).toBe(flood + 1);
    expect(await send(0)).toEqual(first);
    expect(effects).toBe(flood + 1);
  });
});
