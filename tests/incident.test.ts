import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { killAt } from './harness/gate/kill-at.ts';
import { exampleChange, makeTradingSystem } from './harness/systems/trading-system.ts';
import { until } from './harness/until.ts';
import type { Workspace } from './harness/workspace.ts';

let workspace: Workspace;
/** As a customer does it. */
let trade: (quantity: number) => Promise<Response>;

/** The system with the bug of the example promoted. */
beforeAll(async () => {
  workspace = await makeTradingSystem();
  await workspace.up();
  await workspace.run('system', 'up');
  const patch = exampleChange('a-amount-as-string');
  const body = { patch, reason: 'the weak suite was green' };
  await workspace.client().call('POST /v1/promotions', { body });
  const config = readFileSync(workspace.place.configFile, 'utf8');
  const edge = /edge:[\s\S]*?port: (\d+)/.exec(config)?.[1];
  trade = (quantity) =>
    fetch(`http://127.0.0.1:${edge}/trades`, {
      method: 'POST',
      headers: { authorization: 'Bearer trader-token', 'content-type': 'application/json' },
      body: JSON.stringify({ symbol: 'ACME', quantity, side: 'buy', counterparty: 'BANK-1' }),
    });
});
afterAll(() => workspace[Symbol.asyncDispose]());

function investigate() {
  const body = { alert: 'high-value-mismatch' };
  return workspace.client().call('POST /v1/investigations', { body });
}

async function expectSound(): Promise<void> {
  for (const command of ['verify', 'rebuild', 'replay']) {
    expect(await workspace.run('ledger', command)).toMatchObject({ ok: true });
  }
  expect((await workspace.run('lane', 'list')).lanes).toEqual([]);
}

/** One after the other in the same investigation; each time it is begun anew. */
const moments = [
  'lane-opened',
  'proposal-granted probe.place',
  'proposal-granted investigation.run',
];

// proves: ledger.kill
test.runIf(isDeep)(
  `a daemon killed at ${moments.join(', ')} repeats its investigation`,
  async () => {
    for (const entry of moments) {
      await killAt(workspace, entry, () => investigate());
      expect(await (await trade(1)).json()).toMatchObject({ status: 'accepted' });
    }
    expect(await investigate()).toMatchObject({ cause: { confirmed: true } });
    await expectSound();
    const trees = readdirSync(workspace.place.trees).filter((name) => !/^[0-9a-f]{40}$/.test(name));
    expect(trees).toEqual([]);
  },
);

test('an alert leads to the bad version, a confirmed cause and a new case', async () => {
  const client = workspace.client();
  const alert = await until('the alert is raised', async () => {
    await trade(100);
    await trade(1);
    return (await client.call('GET /v1/alerts', {})).alerts[0];
  });
  expect(alert).toMatchObject({ alert: 'high-value-mismatch', service: 'orders' });

  const found = await investigate();
  expect(found.suspect.services).toEqual(['pricing']);
  expect(found.cause).toMatchObject({
    confirmed: true,
    missing: null,
    place: { file: 'services/pricing/quote.ts' },
  });
  expect(found.cause.differences).toEqual([
    expect.objectContaining({
      expression: 'amount',
      failing: expect.objectContaining({ types: ['string'] }),
      healthy: expect.objectContaining({ types: ['number'] }),
    }),
  ]);
  expect(found.regression).toMatchObject({ fails: true, passes: true });

  const remedy = { patch: found.remedy, reason: `remedy of ${found.id}` };
  await client.call('POST /v1/promotions', { body: remedy });
  expect(await (await trade(100)).json()).toMatchObject({ highValue: true, status: 'accepted' });
  await expectSound();
});
