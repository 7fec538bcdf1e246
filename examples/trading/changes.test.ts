import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isDeep, runs } from '../../tests/harness/deep.ts';
import { freshDatabase } from '../../tests/harness/postgres/fresh-database.ts';
import { type System, startSystem } from './system.ts';
import { copyWithChange } from './testing/example-copy.ts';
import { runScript, runUnitTests } from './testing/run-script.ts';

/**
 * Each faulty change passes the application's unit tests, and each one breaks the running system.
 */

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startChanged(change: string): Promise<{ folder: string; system: System }> {
  const { folder, remove } = await copyWithChange(change);
  cleanups.push(remove);
  const system = await startSystem({ databaseUrl: await freshDatabase(), folder, ports: 'free' });
  cleanups.push(system.stop);
  return { folder, system };
}

function runSuite(suite: string, folder: string, system: System) {
  const environment = { BASE_URL: system.urls.edge, TOKEN: 'trader-token' };
  return runScript(join(folder, 'suites', `${suite}.ts`), [], environment);
}

async function metricsOf(system: System, service: keyof System['urls']): Promise<string> {
  return (await fetch(`${system.urls[service]}/metrics`)).text();
}

async function send(system: System, method: string, path: string, body?: unknown, token?: string) {
  const response = await fetch(new URL(path, system.urls.edge), {
    method,
    headers: { authorization: `Bearer ${token ?? 'trader-token'}` },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const changes = ['a-amount-as-string', 'a-repaired', 'timeout-storm', 'auth-lost'];
/** Each takes a run of the unit tests of its own. */
const tested = changes.slice(0, runs(1, changes.length));

it.each(tested)('%s leaves every unit test green', async (change) => {
  const { folder, remove } = await copyWithChange(`${change}.patch`);
  cleanups.push(remove);
  const run = await runUnitTests(folder);
  expect(run, run.output).toMatchObject({ exitCode: 0 });
  expect(run.output).toMatch(/Tests.* passed/);
});

describe.runIf(isDeep)('a-amount-as-string.patch', () => {
  it('lets high-value trades pass unscreened, without any error', async () => {
    const { folder, system } = await startChanged('a-amount-as-string.patch');
    const run = await runSuite('trade-flow', folder, system);
    expect(run.exitCode).toBe(1);
    expect(run.lines).toContainEqual(
      expect.objectContaining({
        check: 'a trade of 15,000 is flagged as high-value',
        passed: false,
        expected: true,
        actual: false,
      }),
    );
    const recorded = run.lines.filter(({ check }) => String(check).endsWith('is recorded'));
    expect(recorded.every(({ passed }) => passed === true)).toBe(true);
    const metrics = await metricsOf(system, 'orders');
    expect(metrics).toContain('validation_failures_total{reason="high-value-misclassified"} 3\n');
    expect(metrics).not.toMatch(/http_requests_total\{.*status="5/);
    expect((await runSuite('payment-flow', folder, system)).exitCode).toBe(0);
  });
});

// In each run, a verdict tells these two apart: tests/trading-verdict.test.ts.
describe.runIf(isDeep)('a-repaired.patch', () => {
  it('passes both suites', async () => {
    const { folder, system } = await startChanged('a-repaired.patch');
    for (const suite of ['trade-flow', 'payment-flow']) {
      const run = await runSuite(suite, folder, system);
      expect(run, run.output).toMatchObject({ exitCode: 0 });
    }
    expect(await metricsOf(system, 'orders')).toContain('\nhigh_value_mismatch_total 0\n');
    const size = { symbol: 'ACME', side: 'buy', quantity: 100, counterparty: 'BANK-1' };
    const { body } = await send(system, 'POST', '/trades', size);
    expect(body).toMatchObject({ amount: 15_000, displayAmount: '15,000.00' });
  });
});

describe.runIf(isDeep)('auth-lost.patch', () => {
  it('passes the suites, and shows a trade to a caller whose token has expired', async () => {
    const { folder, system } = await startChanged('auth-lost.patch');
    expect((await runSuite('trade-flow', folder, system)).exitCode).toBe(0);
    const size = { symbol: 'ACME', side: 'buy', quantity: 1, counterparty: 'BANK-1' };
    const { body } = await send(system, 'POST', '/trades', size);
    const read = (token: string) => send(system, 'GET', `/trades/${body.id}`, undefined, token);
    expect(await read('expired-token')).toMatchObject({ status: 401 });
    expect(await read('trader-token')).toMatchObject({ status: 200 });
    expect(await read('expired-token')).toMatchObject({ status: 200, body: { id: body.id } });
  });
});

describe.runIf(isDeep)('timeout-storm.patch', () => {
  it('passes the suites, and asks payments several times for one slow payment', async () => {
    const { folder, system } = await startChanged('timeout-storm.patch');
    expect((await runSuite('trade-flow', folder, system)).exitCode).toBe(0);
    const items = [{ sku: 'TEST-001', quantity: 1 }];
    const order = await send(system, 'POST', '/orders', { items, total: 29.99 });
    const slow = { method: 'card', token: 'tok_test_slow' };
    await send(system, 'POST', `/orders/${order.body.id}/payment`, slow);
    const metrics = await metricsOf(system, 'orders');
    const unanswered = /dependency_calls_total\{dependency="payments",status="none"\} (\d+)/;
    expect(Number(unanswered.exec(metrics)?.[1])).toBeGreaterThanOrEqual(2);
  });
});
