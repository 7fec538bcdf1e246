import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationResponse } from '../src/http/index.ts';
import { commit } from './harness/systems/small-system.ts';
import { exampleChange, makeTradingSystem } from './harness/systems/trading-system.ts';
import { until } from './harness/until.ts';
import type { Workspace } from './harness/workspace.ts';

type Probe = OperationResponse<'GET /v1/probes/{probe}'>;

const file = 'services/pricing/quote.ts';
let workspace: Workspace;
let stopTraffic: () => Promise<void>;

/** The example with its bug, started as its users start it, with customers who trade. */
beforeAll(async () => {
  workspace = await makeTradingSystem();
  const patch = exampleChange('a-amount-as-string');
  execFileSync('git', ['apply', '-'], { cwd: workspace.root, input: patch });
  commit(workspace.root, 'amounts as on statements');
  await workspace.up();
  await workspace.run('system', 'up', '--no-preload');
  stopTraffic = startTraffic();
});
afterAll(async () => {
  await stopTraffic?.();
  await workspace[Symbol.asyncDispose]();
});

function startTraffic(): () => Promise<void> {
  const config = readFileSync(workspace.place.configFile, 'utf8');
  const port = /edge:[\s\S]*?port: (\d+)/.exec(config)?.[1];
  const body = { symbol: 'ACME', quantity: 100, side: 'buy', counterparty: 'BANK-1' };
  const headers = { authorization: 'Bearer trader-token', 'content-type': 'application/json' };
  let isOver = false;
  const trading = (async () => {
    while (!isOver) {
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      await fetch(`http://127.0.0.1:${port}/trades`, init).then((response) => response.text());
    }
  })();
  return () => {
    isOver = true;
    return trading;
  };
}

/** `ss -ltnp`: the ports at which a process listens. */
function listeningPorts(pid: number): string[] {
  const lines = execFileSync('ss', ['-ltnpH'], { encoding: 'utf8' }).split('\n');
  const own = lines.filter((line) => line.includes(`pid=${pid},`));
  return own.map((line) => /:(\d+)\s/.exec(line)?.[1] ?? line);
}

async function statusOf(service: string) {
  const { services } = await workspace.client().call('GET /v1/system', {});
  const found = services.find((one) => one.service === service);
  return { pid: found?.pid as number, port: String(found?.port), restarts: found?.restarts };
}

const hasPreload = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/environ`, 'utf8').includes('NODE_OPTIONS=--require');

const lineOf = (code: string): number =>
  readFileSync(join(workspace.root, file), 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(code)) + 1;

// proves: probes.unprepared
test('a probe shows a type in a service that runs without the preload, and no inspector stays', async () => {
  const before = await statusOf('pricing');
  expect(hasPreload(before.pid)).toBe(false);
  const line = lineOf('return { tradeId, counterparty');
  const log = ['--log', 'amount={amount} type={typeof amount}', '--hits', '3'];
  const placed = await workspace.run('probe', 'add', `${file}:${line}`, ...log);
  const shown = await until('trades pass the line', async () => {
    const probe = (await workspace.run('probe', 'show', String(placed.probe))) as unknown as Probe;
    return probe.ended ? probe : undefined;
  });
  const text = 'amount=15,000.00 type=string';
  expect(shown.captures.map(({ message }) => message)).toEqual([text, text, text]);
  expect(shown.ended?.reason).toBe('hits');
  expect(listeningPorts(before.pid)).toEqual([before.port]);
  expect(await statusOf('pricing')).toEqual(before);
});

// proves: probes.end
test('a bundle of a probe verifies offline, and none that was edited does', async () => {
  const place = `${file}:${lineOf('return { tradeId, counterparty')}`;
  const placed = await workspace.run('probe', 'add', place, '--read', 'amount', '--hits', '2');
  const id = String(placed.probe);
  const { value: bundle } = await until('the end of the probe is signed', async () => {
    const exported = await workspace.surety('probe', 'export', id, '--bundle');
    return exported.code === 0 && 'checkpoint' in exported.value ? exported : undefined;
  });
  const path = join(workspace.root, '.surety', 'bundle.json');
  const verify = async (text: string, ...more: string[]) => {
    writeFileSync(path, text);
    const { code, value } = await workspace.surety('probe', 'verify-bundle', path, ...more);
    return { code, ok: value.ok, problem: value.problem };
  };
  const text = JSON.stringify(bundle);
  expect(await verify(text)).toEqual({ code: 0, ok: true, problem: null });
  const edited = text.replace('15,000.00', '15,000.01');
  expect(edited).not.toBe(text);
  expect(await verify(edited)).toMatchObject({
    ok: false,
    problem: expect.stringMatching(/^content "probe"/),
  });
  expect(await verify(text.replace(/"hits":2/, '"hits":3'))).toMatchObject({ ok: false });
  const dropped = { ...bundle, proof: (bundle.proof as object[]).slice(1) };
  expect(await verify(JSON.stringify(dropped))).toMatchObject({ ok: false });
  const key = join(workspace.root, '.surety', 'other-key.pem');
  const { publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(key, publicKey.export({ type: 'spki', format: 'pem' }));
  const stranger = { ok: false, problem: 'its checkpoint is not signed by this key' };
  expect(await verify(text, '--key', key)).toMatchObject(stranger);
});

test('a restarted service keeps running without the preload', async () => {
  await workspace.run('system', 'restart', 'validation');
  const { pid } = await statusOf('validation');
  expect(hasPreload(pid)).toBe(false);
});
