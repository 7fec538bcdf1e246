import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Fault, fault, type Json, type Proposal } from '../kernel/index.ts';
import { makeDirectory, openTestGate, removeDirectory, type TestGate } from './gate.fixture.ts';
import type { PolicyDocument } from './language/index.ts';

let directory: string;
let gate: TestGate;
let stock: () => Promise<Json>;
let effects: number;

const rules = {
  plain: 'reads.stock.left > 0',
  // A read without a schema has an unknown size, so only the step counter stops this rule.
  costly: 'reads.stock.items.all(a, reads.stock.items.all(b, a != b + 1))',
  missing: 'reads.stock.nowhere == 1',
  confused: 'reads.stock.left + "1" == "11"',
  divided: 'int(reads.stock.left) / int(reads.stock.zero) > 0',
};

function policyWith(that: string): PolicyDocument {
  const nothing = { type: 'object', properties: {} };
  return {
    version: 1,
    tools: {
      'stock.read': { effect: 'read', arguments: nothing },
      'stock.sell': {
        effect: 'mutating',
        arguments: nothing,
        reads: { stock: { tool: 'stock.read', with: {} } },
        preconditions: [{ rule: 'left', that }],
      },
    },
    agents: { ada: { tools: ['stock.sell'] } },
  };
}

beforeEach(async () => {
  effects = 0;
  stock = async () => ({ left: 1, zero: 0, items: [] });
  directory = makeDirectory();
  gate = await openTestGate({
    directory,
    policy: policyWith(rules.plain),
    tools: {
      'stock.read': () => stock(),
      'stock.sell': async () => ({ sold: ++effects }),
    },
  });
});
afterEach(async () => {
  await gate.close();
  removeDirectory(directory);
});

const sell: Proposal = { actor: 'agent:ada', tool: 'stock.sell', arguments: {} };

const refused = (): Promise<Fault> =>
  gate.propose(sell).then(
    () => Promise.reject(new Error('it was let through')),
    (error) => error,
  );

test('allows a call when every check succeeds', async () => {
  expect(await gate.propose(sell)).toMatchObject({ status: 'committed' });
});

// proves: gate.fail-closed
test.each<[string, keyof typeof rules]>([
  ['takes too many steps', 'costly'],
  ['asks for a field that is not there', 'missing'],
  ['takes a number for a text', 'confused'],
  ['divides by zero', 'divided'],
])('denies when a rule %s', async (_, rule) => {
  const items = Array.from({ length: 1_000 }, (_, index) => index * 2);
  stock = async () => ({ left: 1, zero: 0, items });
  await gate.adopt(policyWith(rules[rule]));
  expect(await refused()).toMatchObject({
    code: 'PROPOSAL_DENIED',
    details: { rule: 'stock.sell/left' },
  });
  expect(effects).toBe(0);
});

// proves: gate.fail-closed
test('denies when a read fails', async () => {
  stock = () => Promise.reject(fault('TOOL_FAILED', { tool: 'stock.read', reason: 'away' }));
  expect(await refused()).toMatchObject({ code: 'PROPOSAL_DENIED', details: { rule: 'reads' } });
  expect(effects).toBe(0);
});

// proves: gate.fail-closed
test('executes nothing when the ledger does not store the grant', async () => {
  await gate.ledger.close();
  expect(await refused()).toMatchObject({ code: 'LEDGER_CLOSED' });
  expect(effects).toBe(0);
});
