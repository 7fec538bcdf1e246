import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isDeep } from '../../tests/harness/deep.ts';
import { freePort } from '../../tests/harness/free-ports.ts';
import { until } from '../../tests/harness/until.ts';
import { placeProbe } from './probe.ts';
import type { ProbeRequest } from './request.ts';
import { App, deps } from './scene.fixture.ts';

const file = fileURLToPath(new URL('hostile-app.fixture.ts', import.meta.url));
const lines = readFileSync(file, 'utf8').split('\n');
const line = lines.findIndex((text) => text.endsWith('// BREAKPOINT: hostile')) + 1;

async function start(behaviour = '', ...options: readonly string[]): Promise<App> {
  const app = await App.startFile(file, options, [behaviour]);
  onTestFinished(() => app[Symbol.asyncDispose]());
  return app;
}

const request = (app: App, more: Partial<ProbeRequest> = {}): ProbeRequest => ({
  pids: [app.pid],
  file,
  line,
  ttlMs: 60_000,
  ...more,
});

// proves: probes.read-only
describe.runIf(isDeep)('a process that is hard to look into', () => {
  test('shows hostile values within bounds, and what cannot be read as an error', async () => {
    const app = await start();
    const names = ['cyclic', 'revoked', 'text', 'map', 'throwing'];
    const expressions = names.map((name) => `hostile.${name}`);
    const probe = await placeProbe(request(app, { expressions }), deps);
    expect(await app.get('/')).toBe('104857600/1000000/7/0');
    const { reason } = await probe.remove();
    expect(['removed', 'breaker']).toContain(reason);
    const [capture] = probe.captures.kept;
    expect(capture?.values).toMatchObject({
      'hostile.cyclic': { type: 'object', value: { name: 'cyclic' } },
      'hostile.revoked': { type: 'proxy', value: '[proxy]' },
      'hostile.map': { type: 'object' },
    });
    expect(JSON.stringify(capture).length).toBeLessThan(64 * 1024);
    expect(await app.get('/')).toBe('104857600/1000000/7/0');
  });

  test('that dies while it is attached to is reported, and nothing waits for it', async () => {
    const app = await start();
    const placing = placeProbe(request(app), deps);
    app.process.kill('SIGKILL');
    await expect(placing).rejects.toMatchObject({
      code: expect.stringMatching(/^PROBE_(INSPECTOR_FAILED|PROCESS_MISSING|NOTHING_TO_ATTACH)$/),
    });
  });

  test('that is in an endless loop is refused or probed, and has no open inspector', async () => {
    const app = await start();
    void app.get('/loop').catch(() => undefined);
    const state = (): string => readFileSync(`/proc/${app.pid}/stat`, 'utf8').split(' ')[2] ?? '';
    await until('it computes', () => state() === 'R');
    const placed = await placeProbe(request(app), deps).catch((error) => error);
    if ('code' in placed) expect(placed.code).toBe('PROBE_INSPECTOR_FAILED');
    else await placed.remove();
    await until('no inspector is open', async () => !(await app.hasOpenInspector()));
  });

  test('that handles SIGUSR1 itself gets one signal and is refused in words', async () => {
    const app = await start('handles-the-signal');
    await expect(placeProbe(request(app), deps)).rejects.toMatchObject({
      code: 'PROBE_INSPECTOR_FAILED',
      remedy: expect.stringContaining('SIGUSR1'),
    });
    expect(await app.get('/')).toBe('104857600/1000000/7/1');
  });

  test('whose heap is nearly full survives the attempt, and a refusal says why', async () => {
    const app = await start('', '--max-old-space-size=300');
    await app.get('/fill');
    const placing = placeProbe(request(app, { kind: 'counter' }), deps);
    const placed = await placing.catch((error) => error);
    if ('code' in placed) expect(placed.message).toContain('heap is nearly full');
    else await placed.remove();
    expect(await app.get('/')).toContain('/7/0');
  });
});

// proves: probes.unprepared
test.runIf(isDeep)('a server from npm is probed under load, by file and line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'surety-json-server-'));
  writeFileSync(join(folder, 'db.json'), JSON.stringify({ orders: [{ id: 1, amount: 20_000 }] }));
  const bin = fileURLToPath(
    new URL('../../node_modules/json-server/lib/cli/bin.js', import.meta.url),
  );
  const port = await freePort();
  const options = ['--inspect-port=0', bin, '--quiet', '--host', '127.0.0.1'];
  const words = [...options, '--port', String(port), join(folder, 'db.json')];
  const child = spawn(process.execPath, words, { stdio: 'ignore' });
  let isOver = false;
  onTestFinished(async () => {
    isOver = true;
    child.kill('SIGKILL');
    await until('it is gone', () => child.signalCode);
    rmSync(folder, { recursive: true });
  });
  const get = async (): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${port}/orders/1`)).json();
  await until('it answers', () => get().catch(() => undefined));
  void (async () => {
    while (!isOver) await get().catch(() => undefined);
  })();
  // The handler of GET /:resource/:id, as its authors published it.
  const path = 'json-server/lib/server/router/plural.js';
  const code = readFileSync(new URL(`../../node_modules/${path}`, import.meta.url), 'utf8');
  const at = code.split('\n').findIndex((text) => text.includes('res.locals.data = clone'));
  const expressions = ['req.params.id', 'resource.amount', 'typeof resource.amount'];
  const probe = await placeProbe(
    { pids: [child.pid as number], file: path, line: at + 1, expressions, hitsMax: 5 },
    deps,
  );
  expect(await probe.ended).toMatchObject({ reason: 'hits', hits: 5 });
  expect(probe.captures.kept.map(({ values }) => values)).toEqual(
    Array(5).fill({
      'req.params.id': { type: 'string', value: '1' },
      'resource.amount': { type: 'number', value: 20_000 },
      'typeof resource.amount': { type: 'string', value: 'number' },
    }),
  );
  expect(await get()).toEqual({ id: 1, amount: 20_000 });
});
