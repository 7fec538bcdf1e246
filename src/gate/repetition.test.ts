import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Fault, JsonObject, Proposal } from '../kernel/index.ts';
import { makeDirectory, openTestGate, removeDirectory, type TestGate } from './gate.fixture.ts';

let directory: string;
let gate: TestGate;

beforeEach(async () => {
  directory = makeDirectory();
  gate = await openTestGate({
    directory,
    policy: {
      version: 1,
      tools: {
        'mail.send': {
          effect: 'mutating',
          arguments: {
            type: 'object',
            required: ['to'],
            properties: { to: { type: 'string', maxLength: 80 } },
          },
          invariants: [{ rule: 'inside', that: 'arguments.to.endsWith("@example.org")' }],
          governance: { cost: { mails: '1' } },
        },
      },
      agents: { ada: { tools: ['mail.*'], budgets: [{ dimension: 'mails', limit: 10_000 }] } },
    },
    tools: { 'mail.send': async () => ({ sent: true }) },
  });
});
afterEach(async () => {
  await gate.close();
  removeDirectory(directory);
});

const mail = (to: string): Proposal => ({
  actor: 'agent:ada',
  tool: 'mail.send',
  arguments: { to },
});

async function refused(to: string): Promise<Fault> {
  return gate.propose(mail(to)).then(
    () => Promise.reject(new Error('it was let through')),
    (error) => error,
  );
}

// proves: gate.repetition
test('a repeated denied proposal gets a warning about the loop, then a final denial', async () => {
  const answers = [];
  for (let time = 0; time < 4; time++) answers.push(await refused('eve@elsewhere.net'));
  expect(answers.map(({ details }) => [details?.repeats, details?.final])).toEqual([
    [0, false],
    [1, false],
    [2, true],
    [3, true],
  ]);
  expect(answers[3]?.remedy).not.toBe(answers[0]?.remedy);
  expect(answers[3]?.remedy).toContain('4 times');
  // Another proposal is not the same one, and a right one passes at once.
  expect((await refused('bob@elsewhere.net')).details).toMatchObject({ repeats: 0, final: false });
  expect(await gate.propose(mail('bob@example.org'))).toMatchObject({ status: 'committed' });
});

// proves: gate.flat-cost
test('a decision reads the same number of rows after a thousand other calls', async () => {
  const before = await rowsOf(await gate.propose(mail('first@example.org')));
  const many = Array.from({ length: 1_000 }, (_, index) => mail(`m${index}@example.org`));
  await Promise.all(many.map((each) => gate.propose(each)));
  const after = await rowsOf(await gate.propose(mail('last@example.org')));
  expect(after).toEqual(before);
});

/** How much the entries and rows of one proposal weigh, apart from what grows to a fixed size. */
async function rowsOf({ proposal }: { proposal: string }): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {};
  for await (const { key, value } of gate.ledger.rows<JsonObject>('')) {
    if (key.endsWith(proposal)) sizes[key.slice(0, -proposal.length)] = Object.keys(value).length;
    if (key.startsWith('account/')) sizes[key] = Object.keys(value).length;
  }
  const entries = await gate.ledger.entries((await gate.ledger.head()).seq - 1, 2);
  for (const { kind, body } of entries) sizes[kind] = Object.keys(body).length;
  return sizes;
}
