import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from '../../tests/harness/deep.ts';
import { freePort } from '../../tests/harness/free-ports.ts';
import { until } from '../../tests/harness/until.ts';
import { serviceNodes } from './old-node.fixture.ts';
import { Recorder, Service } from './service.fixture.ts';

const nodes = isDeep ? serviceNodes : [process.execPath];

describe.each(nodes)('work handed to a thread or process on %s', (node) => {
  let router: Recorder;
  let baseline: Recorder;
  let service: Service;

  beforeAll(async () => {
    router = await Recorder.open('router');
    baseline = await Recorder.open('baseline');
    const tag = { router: `127.0.0.1:${router.port}` };
    service = await Service.start({ node, tag, file: 'hand-over-service.cjs' });
  });

  afterAll(async () => {
    for (const one of [service, router, baseline]) await one?.[Symbol.asyncDispose]();
  });

  const ask = async (way: string, key?: string): Promise<string> => {
    const to = `http://127.0.0.1:${baseline.port}/${key ?? ''}`;
    return (await service.ask(`/by/${way}?to=${to}`, key)).text();
  };

  // proves: lanes.key-ends
  test.each(['worker', 'worker-port', 'worker-pull', 'fork', 'spawn', 'spawn-sync'])(
    'by %s keeps the key of its request',
    async (way) => {
      const keys = ['k1', undefined, 'k2', undefined, 'k1'];
      const answers = await Promise.all(keys.map((key) => ask(way, key)));
      const by = (key?: string) => (key ? 'router' : 'baseline');
      const expected = (key?: string) =>
        way.startsWith('spawn') ? by(key) : `${by(key)} ${by(key)}`;
      expect(answers).toEqual(keys.map(expected));
      const seen = router.take();
      expect(seen.map(({ headers }) => headers.tracestate)).toEqual(
        seen.map(({ url }) => `surety=${url?.slice(1)}`),
      );
      expect(baseline.take()).toHaveLength(way.startsWith('spawn') ? 2 : 4);
    },
  );

  test('in one batch with work of other requests goes to the baseline', async () => {
    const answers = await Promise.all(['k1', undefined].map((key) => ask('worker-batch', key)));
    expect(answers).toEqual(Array(2).fill('baseline of 2 baseline'));
    const { headers } = await until('its lane is told', () =>
      router.take().find((seen) => seen.headers['x-surety-report']),
    );
    expect(headers.baggage).toBe('surety-lane=k1');
    baseline.take();
  });

  test('adds nothing visible to messages that a port pulls', async () => {
    expect(await ask('pull', 'k1')).toBe('{"message":{"a":1}}');
  });

  test('is handled by cluster workers with the key of each request, on the moved port', async () => {
    const listenPort = await freePort();
    const builtIn = await freePort();
    await using cluster = await Service.start({
      node,
      file: 'cluster-service.cjs',
      tag: { router: `127.0.0.1:${router.port}`, listenPort, ownPort: builtIn },
      environment: { BUILT_IN: String(builtIn) },
    });
    expect(cluster.port).toBe(listenPort);
    const to = `/?to=http://127.0.0.1:${baseline.port}/`;
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, index) =>
        (await cluster.ask(to, index % 2 ? 'k1' : undefined)).text(),
      ),
    );
    expect(answers.map((text) => text.split(' ')[1])).toEqual(
      answers.map((_, index) => (index % 2 ? 'router' : 'baseline')),
    );
    router.take();
    baseline.take();
  });
});
