import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exampleChange, makeTradingSystem } from './harness/trading-system.ts';
import { until } from './harness/until.ts';

test('a bad version is found by its alert, its cause is confirmed, and a case is made of it', async () => {
  await using workspace = await makeTradingSystem();
  await workspace.up();
  await workspace.run('system', 'up');
  const client = workspace.client();
  const patch = exampleChange('a-amount-as-string');
  await client.call('POST /v1/promotions', { body: { patch, reason: 'the weak suite was green' } });

  const edge = /edge:[\s\S]*?port: (\d+)/.exec(
    readFileSync(workspace.place.configFile, 'utf8'),
  )?.[1];
  const trade = (quantity: number) =>
    fetch(`http://127.0.0.1:${edge}/trades`, {
      method: 'POST',
      headers: { authorization: 'Bearer trader-token', 'content-type': 'application/json' },
      body: JSON.stringify({ symbol: 'ACME', quantity, side: 'buy', counterparty: 'BANK-1' }),
    });
  const alert = await until('the alert is raised', async () => {
    await trade(100);
    await trade(1);
    return (await client.call('GET /v1/alerts', {})).alerts[0];
  });
  expect(alert).toMatchObject({ alert: 'high-value-mismatch', service: 'orders' });

  const body = { alert: 'high-value-mismatch' };
  const found = await client.call('POST /v1/investigations', { body });
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
  expect(await workspace.run('ledger', 'verify')).toMatchObject({ ok: true });
  expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
  expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
});
