import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../tests/harness/until.ts';
import { type ActiveProbe, checkProbe, placeProbe } from './probe.ts';
import type { ProbeRequest } from './request.ts';
import { App, deps, killHard, startProber } from './scene.fixture.ts';

const file = fileURLToPath(new URL('thread-app.fixture.ts', import.meta.url));
const lines = readFileSync(file, 'utf8').split('\n');
const line = lines.findIndex((text) => text.endsWith('// BREAKPOINT: thread')) + 1;

type Answers = readonly { readonly decision: string; readonly globals: readonly string[] }[];

let app: App;
beforeAll(async () => {
  app = await App.startFile(file);
});
afterAll(() => app[Symbol.asyncDispose]());

const request = (more: Partial<ProbeRequest> = {}): ProbeRequest => ({
  pids: [app.pid],
  file,
  line,
  ttlMs: 60_000,
  ...more,
});

const runtimes = (probe: ActiveProbe): string[] =>
  probe.instances().map(({ runtime }) => runtime.replace(/^node v[\d.]+/, ''));

async function globals(): Promise<string[]> {
  return (await app.get<Answers>('/1')).flatMap((one) => one.globals);
}

// proves: probes.unprepared
test('a probe captures in every worker thread, and leaves nothing behind in them', async () => {
  const probe = await placeProbe(request({ expressions: ['amount'] }), deps);
  expect(runtimes(probe)).toEqual(['', ', thread 1', ', thread 2']);
  expect(await app.get<Answers>('/20000')).toMatchObject([
    { decision: 'review', globals: [expect.stringMatching('surety')] },
    { decision: 'review' },
  ]);
  const { reason, hits, certificate } = await probe.remove();
  expect([reason, hits]).toEqual(['removed', 2]);
  expect(probe.captures.kept.map(({ values }) => values)).toEqual(
    Array(2).fill({ amount: { type: 'number', value: 20_000 } }),
  );
  expect(certificate.instances.map(({ residue }) => residue.breakpoints)).toEqual(
    Array(3).fill('none'),
  );
  expect(certificate.instances.at(-1)?.residue).toMatchObject({ inspector: 'closed' });
  expect(await globals()).toEqual([]);
});

test('a dry run names the threads, and an exception in them is refused in words', async () => {
  const { instances } = await checkProbe(request(), deps);
  expect(instances.map(({ place }) => place.line)).toEqual([line, line, line]);
  const probe = await placeProbe(request({ kind: 'exception' }), deps);
  expect(runtimes(probe)).toEqual(['']);
  await probe.remove();
});

// proves: probes.end
test('threads are cleared when Surety is killed', async () => {
  const prober = await startProber(app.pid, file, line);
  await until('the threads have agents', async () => (await globals()).length === 2);
  await killHard(prober);
  await until('the threads are cleared', async () => (await globals()).length === 0);
});

// The last one: the app has one thread less then.
test('a thread that ends takes only its own part of a probe along', async () => {
  const probe = await placeProbe(request({ expressions: ['amount'] }), deps);
  await app.get('/end');
  expect(await app.get<Answers>('/7')).toHaveLength(1);
  const { reason, certificate } = await probe.remove();
  expect(reason).toBe('removed');
  expect(probe.captures.kept).toHaveLength(1);
  expect(certificate.instances.map(({ residue }) => residue.breakpoints)).toEqual([
    'none',
    'gone with its process',
    'none',
  ]);
});
