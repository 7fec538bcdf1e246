import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultReport } from '../src/kernel/index.ts';
import { Workspace } from './harness/workspace.ts';

const config =
  'policy: policy.yaml\npeople: {grace: {roles: [approver]}, olga: {roles: [operator]}}\n';

const policy = `
version: 1
tools:
  write:
    effect: mutating
    arguments:
      type: object
      required: [amount]
      properties:
        amount: {type: integer, minimum: 1, maximum: 1000000}
        text: {type: string, maxLength: 100}
    run: {command: [cat]}
    governance:
      cost: {money: arguments.amount}
      approval: {when: arguments.amount > 1000, role: approver, within: 1h}
  send:
    effect: mutating
    arguments: {type: object, required: [amount], properties: {amount: {type: integer, minimum: 1, maximum: 99}}}
    governance: {cost: {money: arguments.amount}}
  hidden: {effect: mutating, arguments: {type: object}, run: {command: [cat]}}
agents:
  ada: {tools: [write, send], budgets: [{dimension: money, limit: 100000}]}
`;

let workspace: Workspace;
let port: number;

beforeAll(async () => {
  workspace = new Workspace({ config });
  writeFileSync(join(workspace.root, 'policy.yaml'), policy);
  ({ port } = await workspace.up());
});
afterAll(() => workspace[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  readonly body: { readonly fault?: FaultReport } & Record<string, unknown>;
}

async function post(path: string, text: string, who = 'agents/ada'): Promise<Answer> {
  const token = readFileSync(join(workspace.place.state, `${who}.token`), 'utf8').trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${port}${path}`;
  const response = await fetch(url, { method: 'POST', headers, body: text });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

async function entriesAfter<Result>(work: () => Promise<Result>) {
  const client = workspace.client();
  const { ledger } = await client.call('GET /v1/status', {});
  const result = await work();
  const query = { from: ledger.head.seq + 1, limit: 1_000 };
  const { entries } = await client.call('GET /v1/entries', { query });
  return { result, entries };
}

const write = (given: string, more = ''): string => `{"tool":"write","arguments":${given}${more}}`;
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** What is sent, the fault that answers it, and what the ledger says about it. */
const cases: readonly [name: string, text: string, code: string, entry: string, rule: string][] = [
  ['invalid JSON', '{"tool":', 'JSON_INVALID', 'attempt-refused', ''],
  ['a key twice', write('{"amount":1,"amount":2}'), 'JSON_INVALID', 'attempt-refused', ''],
  ['NaN', write('{"amount":NaN}'), 'JSON_INVALID', 'attempt-refused', ''],
  ['Infinity', write('{"amount":-Infinity}'), 'JSON_INVALID', 'attempt-refused', ''],
  ['1e400', write('{"amount":1e400}'), 'JSON_INVALID', 'attempt-refused', ''],
  [
    'a lone surrogate',
    write('{"amount":1,"text":"\\ud800"}'),
    'JSON_INVALID',
    'attempt-refused',
    '',
  ],
  ['64 levels or more', write(`{"amount":${nested(100)}}`), 'JSON_TOO_DEEP', 'attempt-refused', ''],
  [
    'another actor',
    write('{"amount":1}', ',"actor":"person:root"'),
    'REQUEST_INVALID',
    'attempt-refused',
    '',
  ],
  ['its own clock', write('{"amount":1}', ',"now":1'), 'REQUEST_INVALID', 'attempt-refused', ''],
  ['arguments that are no object', write('[1]'), 'REQUEST_INVALID', 'attempt-refused', ''],
  [
    'an endless wait',
    write('{"amount":1}', ',"waitMs":1e12'),
    'REQUEST_INVALID',
    'attempt-refused',
    '',
  ],
  [
    'an unknown tool',
    '{"tool":"nope","arguments":{}}',
    'PROPOSAL_DENIED',
    'proposal-denied',
    'tool.unknown',
  ],
  [
    'a tool named __proto__',
    '{"tool":"__proto__","arguments":{}}',
    'PROPOSAL_DENIED',
    'proposal-denied',
    'tool.unknown',
  ],
  [
    'a tool of another agent',
    '{"tool":"hidden","arguments":{}}',
    'PROPOSAL_DENIED',
    'proposal-denied',
    'policy.tools',
  ],
  [
    'an undeclared argument',
    write('{"amount":1,"note":"x"}'),
    'PROPOSAL_DENIED',
    'proposal-denied',
    'arguments',
  ],
  [
    '__proto__ as an argument',
    write('{"amount":1,"__proto__":{"amount":2}}'),
    'JSON_INVALID',
    'attempt-refused',
    '',
  ],
  [
    'constructor as an argument',
    write('{"amount":1,"constructor":{}}'),
    'PROPOSAL_DENIED',
    'proposal-denied',
    'arguments',
  ],
  ['no argument', write('{}'), 'PROPOSAL_DENIED', 'proposal-denied', 'arguments'],
  ['a negative amount', write('{"amount":-1}'), 'PROPOSAL_DENIED', 'proposal-denied', 'arguments'],
  [
    'a negative fraction',
    write('{"amount":-0.5}'),
    'PROPOSAL_DENIED',
    'proposal-denied',
    'arguments',
  ],
  [
    'an amount beyond the limit',
    write('{"amount":1e300}'),
    'PROPOSAL_DENIED',
    'proposal-denied',
    'arguments',
  ],
  ['an amount as text', write('{"amount":"1"}'), 'PROPOSAL_DENIED', 'proposal-denied', 'arguments'],
  [
    'a huge text',
    write(`{"amount":1,"text":"${'x'.repeat(1_000_000)}"}`),
    'PROPOSAL_DENIED',
    'proposal-denied',
    'arguments',
  ],
  [
    'a negative report',
    write('{"amount":1}', ',"reported":{"money":-5}'),
    'PROPOSAL_DENIED',
    'proposal-denied',
    'expression',
  ],
  [
    'an overflowing report',
    write('{"amount":1}', ',"reported":{"money":9007199254740991}'),
    'PROPOSAL_DENIED',
    'proposal-denied',
    'expression',
  ],
  [
    'a task that nobody opened',
    write('{"amount":1}', ',"task":"task_forged"'),
    'PROPOSAL_DENIED',
    'proposal-denied',
    'task.unknown',
  ],
];

// proves: gate.arguments, gate.fail-closed, gate.runtime-facts
describe('a proposal', () => {
  test.each(cases)('with %s is refused and recorded', async (_, text, code, entry, rule) => {
    const { result, entries } = await entriesAfter(() => post('/v1/proposals', text));
    expect(result.body.fault).toMatchObject({ code });
    expect(result.status).toBeGreaterThanOrEqual(400);
    expect(result.status).toBeLessThan(500);
    const about = entries.filter(({ actor }) => actor === 'agent:ada');
    expect(about.map(({ kind }) => kind)).toEqual([entry]);
    expect(about[0]?.body.code).toBe(code);
    if (rule !== '') expect(about[0]?.body.rules).toContain(rule);
    expect(({} as Record<string, unknown>).amount).toBeUndefined();
  });

  test('that was refused charged and executed nothing', async () => {
    const { budgets } = await workspace.client().call('GET /v1/budgets', {});
    expect(budgets).toMatchObject([{ account: 'agent:ada', spent: 0, reserved: 0 }]);
  });
});

describe('an approval', () => {
  const text = write('{"amount":5000}');

  async function held() {
    const { body } = await post('/v1/proposals', text);
    expect(body.fault?.code).toBe('PROPOSAL_HELD');
    return body.fault?.details as { approval: string; argumentsHash: string };
  }

  const answer = (approval: string, argumentsHash: string, who: string) =>
    post(`/v1/approvals/${approval}/approve`, JSON.stringify({ argumentsHash }), who);

  const refusals: readonly [string, string, string, string][] = [
    ['by the proposer', 'agents/ada', '', 'APPROVAL_OWN'],
    ['by somebody without the role', 'people/olga', '', 'APPROVAL_ROLE'],
    ['for other arguments', 'people/grace', 'x', 'APPROVAL_OTHER_ARGUMENTS'],
  ];

  test.each(refusals)('%s is refused and recorded', async (_, who, more, code) => {
    const { approval, argumentsHash } = await held();
    const { result, entries } = await entriesAfter(() =>
      answer(approval, argumentsHash + more, who),
    );
    expect(result.body.fault).toMatchObject({ code });
    expect(entries).toMatchObject([{ kind: 'attempt-refused', body: { what: 'approval', code } }]);
  });

  test('that nobody requested is refused and recorded', async () => {
    const { result, entries } = await entriesAfter(() => answer('appr_none', 'x', 'people/grace'));
    expect(result.body.fault).toMatchObject({ code: 'NOT_FOUND' });
    expect(entries).toMatchObject([{ kind: 'attempt-refused', body: { code: 'NOT_FOUND' } }]);
  });

  test('is given once and used once', async () => {
    const { approval, argumentsHash } = await held();
    expect((await answer(approval, argumentsHash, 'people/grace')).status).toBe(200);
    const again = await answer(approval, argumentsHash, 'people/grace');
    expect(again.body.fault).toMatchObject({ code: 'APPROVAL_ANSWERED' });
    expect((await post('/v1/proposals', text)).body).toMatchObject({ status: 'committed' });
    expect((await post('/v1/proposals', text)).body.fault).toMatchObject({ code: 'PROPOSAL_HELD' });
  });
});

describe('a grant', () => {
  let amount = 0;

  async function granted(): Promise<string> {
    amount++;
    const { body } = await post(
      '/v1/grants',
      `{"tool":"send","arguments":{"amount":${amount}},"audience":"bank"}`,
    );
    expect(body.fault).toBeUndefined();
    return String(body.token);
  }

  const redeem = (token: string) => post('/v1/grants/redeem', JSON.stringify({ token }));
  const settle = (token: string, report: object) =>
    post('/v1/grants/settle', JSON.stringify({ token, report }));
  const committed = { status: 'committed', value: { amount: 7 } };

  const payload = (token: string, change: object): string => {
    const [head, claims = '', signature] = token.split('.');
    const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), ...change };
    return `${head}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${signature}`;
  };

  const altered: readonly [string, (token: string) => string][] = [
    ['with another tool', (token) => payload(token, { tool: 'hidden' })],
    ['with other arguments', (token) => payload(token, { arg: 'f'.repeat(64) })],
    ['with a later end', (token) => payload(token, { expMs: 9e15, exp: 9e12 })],
    ['for another proposal', (token) => payload(token, { jti: 'prop_other' })],
    ['without its signature', (token) => token.replace(/\.[^.]*$/, '.')],
    [
      'with no algorithm',
      (token) => `${encode({ alg: 'none', typ: 'JWT' })}.${token.split('.')[1]}.`,
    ],
    ['that is no grant', () => 'x'],
  ];

  test.each(altered)('%s is refused everywhere and recorded', async (_, change) => {
    const token = change(await granted());
    const { entries } = await entriesAfter(async () => {
      for (const answer of [await redeem(token), await settle(token, committed)]) {
        expect(answer.body.fault).toMatchObject({ code: 'GRANT_REFUSED' });
      }
    });
    const refused = { kind: 'attempt-refused', body: { code: 'GRANT_REFUSED' } };
    expect(entries).toMatchObject([refused, refused]);
  });

  test('is redeemed once and settled once', async () => {
    const token = await granted();
    expect((await redeem(token)).status).toBe(200);
    const { result, entries } = await entriesAfter(() => redeem(token));
    expect(result.body.fault).toMatchObject({ code: 'GRANT_REFUSED' });
    expect(entries).toMatchObject([{ kind: 'attempt-refused', body: { what: 'redemption' } }]);
    expect((await settle(token, committed)).body).toMatchObject(committed);
    const again = await entriesAfter(() => settle(token, committed));
    expect(again).toMatchObject({ result: { body: committed }, entries: [] });
    const other = await entriesAfter(() =>
      settle(token, { status: 'failed', code: 'X', message: '' }),
    );
    expect(other.result.body.fault).toMatchObject({ code: 'GRANT_REFUSED' });
    expect(other.entries).toMatchObject([
      { kind: 'report-refused', body: { recorded: 'committed', reported: 'failed' } },
    ]);
    expect((await redeem(token)).body.fault).toMatchObject({ code: 'GRANT_REFUSED' });
  });

  test('settled twice at once has one outcome, which both callers get', async () => {
    const token = await granted();
    await redeem(token);
    const failed = { status: 'failed', code: 'X', message: 'no' };
    const answers = await Promise.all(
      [committed, failed, committed, failed].map((report) => settle(token, report)),
    );
    const { entries } = await workspace
      .client()
      .call('GET /v1/entries', { query: { limit: 1_000 } });
    const ends = entries.filter(({ kind, body }) => {
      return body.proposal === jtiOf(token) && /^proposal-(?:committed|failed)$/.test(kind);
    });
    expect(ends).toHaveLength(1);
    const told = answers.flatMap(({ body }) => (body.fault && !body.status ? [] : [body.status]));
    expect(new Set(told)).toEqual(new Set([ends[0]?.kind.slice('proposal-'.length)]));
  });

  const encode = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url');
  const jtiOf = (token: string): string =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti;
});

// Last: the daemon closes the connection of whoever sends that much.
test('an oversized request is refused', async () => {
  const text = write(`{"amount":1,"text":"${'x'.repeat(9_000_000)}"}`);
  const { result, entries } = await entriesAfter(() => post('/v1/proposals', text));
  expect(result).toMatchObject({ status: 413, body: { fault: { code: 'REQUEST_TOO_LARGE' } } });
  expect(entries).toMatchObject([{ kind: 'attempt-refused', body: { code: 'REQUEST_TOO_LARGE' } }]);
});
