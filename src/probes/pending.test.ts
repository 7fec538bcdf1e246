import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { App } from './scene.fixture.ts';

const lateFile = fileURLToPath(new URL('late-file.fixture.ts', import.meta.url));
const preloadFile = fileURLToPath(new URL('../preload/tag.cjs', import.meta.url));
const closed = { breakpoints: 'none', inspector: 'closed', agent: 'none' };

afterEach(() => {
  vi.unstubAllEnvs();
});

describe.runIf(process.platform === 'linux')('a probe in a file that is not loaded yet', () => {
  test('is pending until the file is loaded, then captures', async () => {
    await using app = await App.start();
    // By a path from the working directory of the process, as people write it.
    const file = 'src/probes/late-file.fixture.ts';
    const probe = await app.place({ file, line: 4, template: 'doubled={doubled}', hitsMax: 1 });
    expect(probe.instances()).toMatchObject([{ pid: app.pid, place: null, cost: null }]);
    expect(await app.get('/late?amount=4')).toBe(8);
    let isOver = false;
    void probe.ended.then(() => {
      isOver = true;
    });
    while (!isOver) await app.get('/late?amount=4');
    expect(probe.captures.kept).toMatchObject([{ message: 'doubled=8' }]);
    const removal = await probe.ended;
    const place = { file: lateFile, line: 4, function: 'double' };
    expect(removal).toMatchObject({
      reason: 'hits',
      certificate: { instances: [{ place, residue: closed }] },
    });
  });

  test('ends with the reason if the loaded file has no such place', async () => {
    await using app = await App.start();
    const probe = await app.place({ file: lateFile, line: 1_000, kind: 'counter' });
    await app.get('/late?amount=4');
    const { reason, error, certificate } = await probe.ended;
    expect([reason, certificate.instances]).toEqual(['refused', []]);
    expect(error).toMatch(/^No probe can be placed at line 1000/);
    expect(await app.get('/globals')).toEqual([]);
  });

  test('is removed while it waits, and with its process', async () => {
    const app = await App.start();
    const [first, second] = await Promise.all(
      [1, 2].map(() => app.place({ file: lateFile, line: 4, kind: 'counter' })),
    );
    expect(await first?.remove()).toMatchObject({ reason: 'removed', hits: 0 });
    expect(await app.hasOpenInspector()).toBe(false);
    app.process.kill('SIGKILL');
    expect(await second?.ended).toMatchObject({ reason: 'process-ended' });
    await app[Symbol.asyncDispose]();
  });
});

test('a capture in a service with the preload carries the trace id of its request', async () => {
  const nobody = '127.0.0.1:9';
  vi.stubEnv('SURETY_ROUTER', nobody);
  vi.stubEnv('SURETY_TELEMETRY', nobody);
  vi.stubEnv('SURETY_SERVICE', 'trading');
  vi.stubEnv('SURETY_INSTANCE', 'trading/baseline/run_1');
  await using app = await App.start('--require', preloadFile);
  const probe = await app.place({ template: 'amount={amount}', hitsMax: 1 });
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  await app.get('/trade?amount=1', '', headers);
  await probe.ended;
  expect(probe.captures.kept).toMatchObject([{ message: 'amount=1', traceId }]);
});
