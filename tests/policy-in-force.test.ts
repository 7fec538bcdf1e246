import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toFault } from '../src/kernel/index.ts';
import { asAgent } from './harness/mcp/agent-token.ts';
import { freshDatabase } from './harness/postgres/fresh-database.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

const policyOf = (max: number, tools = 'pay', more = ''): string => `version: 1
tools:
  stock: {effect: read, arguments: {type: object}, run: {command: [cat, stock.json]}}
  pay:
    effect: mutating
    arguments: {type: object, required: [amount], properties: {amount: {type: integer, maximum: ${max}}}}
    governance: {cost: {money: arguments.amount}, timeout: 60s}
    ${more}
agents:
  ada: {tools: [${tools}], budgets: [{dimension: money, limit: 1000}], limits: {sameProposal: 100, cycle: 10}}
`;

const write = (workspace: Workspace, text: string): void =>
  writeFileSync(join(workspace.root, 'policy.yaml'), text);

const inForce = async (workspace: Workspace) =>
  (await workspace.surety('policy', 'show')).value as {
    hash: string | null;
    version: number | null;
    problem: { reason: string } | null;
  };

async function change(workspace: Workspace, text: string): Promise<void> {
  const { hash } = await inForce(workspace);
  write(workspace, text);
  await until('it is adopted', async () => (await inForce(workspace)).hash !== hash);
}

async function grant(workspace: Workspace, amount = 50): Promise<string> {
  const body = { tool: 'pay', arguments: { amount }, audience: 'bank' };
  const granted = await asAgent(workspace, 'ada').call('POST /v1/grants', { body });
  if (granted.status !== 'granted') throw new Error(granted.status);
  return granted.token;
}

const redeem = (workspace: Workspace, token: string): Promise<string> =>
  asAgent(workspace, 'ada')
    .call('POST /v1/grants/redeem', { body: { token } })
    .then(
      () => 'redeemed',
      (error) => toFault(error).message,
    );

// proves: gate.grants-follow
describe('a grant', () => {
  let workspace: Workspace;
  const stock = (count: number): void =>
    writeFileSync(join(workspace.root, 'stock.json'), JSON.stringify({ count }));
  const free = async () =>
    (await asAgent(workspace, 'ada').call('GET /v1/budgets', {})).budgets[0]?.free;

  beforeAll(async () => {
    workspace = new Workspace({ config: 'policy: policy.yaml\n' });
    write(workspace, policyOf(100));
    await workspace.up();
  });
  beforeEach(async () => {
    stock(5);
    const start = policyOf(100);
    write(workspace, `${start}# ${Math.random()}\n`);
    await until('it is adopted', async () => (await grant(workspace).catch(() => '')) !== '');
  });
  afterAll(async () => {
    expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
    expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
    await workspace[Symbol.asyncDispose]();
  });

  test.each([
    ['has a lower maximum', policyOf(40)],
    ['takes the tool away', policyOf(100, 'stock')],
    ['has a smaller budget', policyOf(100).replace('limit: 1000', 'limit: 40')],
    [
      'needs an approval',
      policyOf(100).replace('timeout', 'approval: {role: approver, within: 1h}, timeout'),
    ],
  ])('is refused if the policy %s meanwhile, and frees its budget', async (_, changed) => {
    const before = await free();
    const token = await grant(workspace);
    await change(workspace, changed);
    expect(await redeem(workspace, token)).toContain('GRANT_OUTDATED');
    expect(await redeem(workspace, token)).toContain('is failed');
    await change(workspace, policyOf(100));
    expect(await free()).toBe(before);
  });

  test('stays valid if the new policy allows the call as well', async () => {
    const token = await grant(workspace);
    await change(workspace, policyOf(60));
    expect(await redeem(workspace, token)).toBe('redeemed');
  });

  test('is refused if a new read no longer allows it', async () => {
    const reading = `reads: {stock: {tool: stock}}
    preconditions: [{rule: in-stock, that: reads.stock.count > 0.0}]`;
    await change(workspace, policyOf(100, 'pay', reading));
    const token = await grant(workspace);
    const second = await grant(workspace);
    stock(0);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await redeem(workspace, token)).toContain('in-stock');
    stock(3);
    expect(await redeem(workspace, second)).toBe('redeemed');
  });
});

// proves: gate.policy-version
describe('two daemons on one database', () => {
  let first: Workspace;
  let second: Workspace;

  beforeAll(async () => {
    const config = `policy: policy.yaml\nledger: {store: postgres, url: "${await freshDatabase()}"}\n`;
    [first, second] = [new Workspace({ config }), new Workspace({ config })];
    write(first, policyOf(100));
    await first.up();
    write(second, policyOf(10));
    await second.up();
  });
  afterAll(async () => {
    await second[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
  });

  const allows = (workspace: Workspace): Promise<boolean> =>
    grant(workspace).then(
      () => true,
      () => false,
    );

  test('share the newer policy, even if one of them starts with an older file', async () => {
    expect([await allows(first), await allows(second)]).toEqual([false, false]);
    await first.run('down');
    const { policy } = await first.up();
    expect(policy.problem).toContain('version 1');
    expect([await allows(first), await allows(second)]).toEqual([false, false]);
    expect((await inForce(first)).version).toBe(2);
    expect(await inForce(second)).toMatchObject({ version: 2, problem: null });
  });

  test('go back to an older policy when a person adopts it', async () => {
    expect(await first.run('policy', 'adopt')).toMatchObject({ version: 3 });
    expect([await allows(first), await allows(second)]).toEqual([true, true]);
    const { problem } = await until('the second knows', async () => {
      const shown = await inForce(second);
      return shown.problem && shown;
    });
    expect(problem?.reason).toContain('version 2');
  });

  test('keep the policy of the other daemon when one starts with an invalid file', async () => {
    const { hash } = await inForce(first);
    await second.run('down');
    write(second, 'version: 1\ntools: {pay: {effect: sometimes}}\n');
    const started = await second.surety('up');
    expect(started).toMatchObject({ code: 1, value: { policy: { hash: null } } });
    expect([await allows(first), await allows(second)]).toEqual([true, false]);
    expect(await inForce(first)).toMatchObject({ hash, problem: null });
    write(second, policyOf(100));
    await until('the second allows again', () => allows(second));
  });
});
