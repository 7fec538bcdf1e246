import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { killAt } from './harness/gate/kill-at.ts';
import { commit } from './harness/systems/small-system.ts';
import { exampleChange, makeTradingSystem } from './harness/systems/trading-system.ts';
import { until } from './harness/until.ts';
import type { Workspace } from './harness/workspace.ts';

let workspace: Workspace;
/** As a customer does it. */
let trade: (quantity: number) => Promise<Response>;

/** The system with the bug of the example promoted. */
beforeAll(async () => {
  workspace = await makeTradingSystem();
  writeFileSync(join(workspace.root, 'CODEOWNERS'), '/services/pricing/ @trading/pricing\n');
  commit(workspace.root, 'owners');
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

// proves: investigate.confirmed
// proves: investigate.remedy
test.runIf(isDeep)(
  'a question leads to the line that captures confirm, past a decoy, and to a fix',
  async () => {
    const client = workspace.client();
    const alert = await until('the alert is raised', async () => {
      await trade(100);
      await trade(1);
      return (await client.call('GET /v1/alerts', {})).alerts[0];
    });
    expect(alert).toMatchObject({ alert: 'high-value-mismatch', service: 'orders' });
    const decoy = { patch: exampleChange('harmless/rule-named'), reason: 'names the rule' };
    if (isDeep) await client.call('POST /v1/promotions', { body: decoy });

    const question = 'why are high-value trade validations failing after the latest deployment?';
    const found = await client.call('POST /v1/investigations', { body: { question } });
    expect(found).toMatchObject({ status: 'confirmed', suspect: { services: ['pricing'] } });
    expect(found.cause).toMatchObject({
      missing: null,
      place: { file: 'services/pricing/quote.ts', line: 42 },
      separation: { expression: 'amount', predicate: 'typeof amount is string' },
    });
    const { failing, healthy } = found.cause.separation ?? {};
    expect(failing?.held).toBe(failing?.of);
    expect(healthy?.held).toBe(0);
    expect(found.cause.effects).toContainEqual(
      expect.objectContaining({
        service: 'validation',
        file: 'services/validation/classify.ts',
        expression: 'amount >= HIGH_VALUE_THRESHOLD',
        failing: expect.objectContaining({ samples: [false] }),
      }),
    );
    const decoys = found.hypotheses.filter((one) => one.suspect !== found.suspect?.commit);
    expect(decoys.map(({ status }) => status)).toEqual(isDeep ? ['refuted'] : []);
    expect(found.regression).toMatchObject({ fails: true, passes: true });
    expect(found.blastRadius.services).toEqual(['edge', 'orders', 'pricing']);
    expect(found.owners).toEqual(['@trading/pricing']);

    const remedy = { patch: found.remedy, reason: `remedy of ${found.id}` };
    await client.call('POST /v1/promotions', { body: remedy });
    expect(await (await trade(100)).json()).toMatchObject({ highValue: true, status: 'accepted' });
    await expectSound();
  },
);
