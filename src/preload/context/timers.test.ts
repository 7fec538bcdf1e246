import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isDeep } from '../../../tests/harness/deep.ts';
import { until } from '../../../tests/harness/until.ts';
import { serviceNodes } from '../old-node.fixture.ts';
import { Recorder, Service } from '../service.fixture.ts';

const nodes = isDeep ? serviceNodes : [process.execPath];

describe.each(nodes)('a call that a timer makes on %s', (node) => {
  let router: Recorder;
  let baseline: Recorder;
  let service: Service;

  beforeEach(async () => {
    router = await Recorder.open('router');
    baseline = await Recorder.open('baseline');
    const tag = { instance: 'a/lane_1/x', router: `127.0.0.1:${router.port}` };
    service = await Service.start({ node, tag });
  });

  afterEach(async () => {
    for (const one of [service, router, baseline]) await one?.[Symbol.asyncDispose]();
  });

  const to = (): string => `to=http://127.0.0.1:${baseline.port}/`;
  const text = async (path: string, key?: string): Promise<string> =>
    (await service.ask(path, key)).text();
  /** Lets the batch go, once that many are in it. */
  const release = (count: number, key?: string): Promise<unknown> =>
    until('all have joined', async () => {
      if (Number(await text('/count', key)) < count) return false;
      return (await text('/due', key)) === 'due';
    });

  // proves: lanes.key-ends
  test('for several requests goes to the baseline, and the router gets a report for the lane', async () => {
    const first = text(`/batched/fetch?${to()}`, 'k1');
    const second = text(`/batched/fetch?${to()}`);
    await release(2);
    expect([await first, await second]).toEqual(['baseline', 'baseline']);
    expect(baseline.take().map(({ headers }) => headers.baggage)).toEqual([undefined]);
    const report = await until('the loss is told', () => router.take()[0]);
    expect(report.headers).toMatchObject({
      'x-surety-report': 'escape',
      baggage: 'surety-lane=k1',
      'x-surety-from': 'a',
      'x-surety-at': 'a',
      'x-surety-method': 'timer',
      'x-surety-path': 'own',
    });
    expect(router.take()).toEqual([]);
  });

  test('of another request is reported for the lane whose request may have joined its batch', async () => {
    const first = text(`/batched/fetch?${to()}`);
    await until('the first has come', async () => Number(await text('/count')) === 1);
    const second = text(`/batched/fetch?${to()}`, 'k1');
    await release(2);
    expect([await first, await second]).toEqual(['baseline', 'baseline']);
    const report = await until('the doubt is told', () => router.take()[0]);
    expect(report.headers).toMatchObject({
      'x-surety-report': 'escape',
      baggage: 'surety-lane=k1',
      'x-surety-method': 'timer',
      'x-surety-path': 'shared',
    });
  });

  test.each(['raw-socket', 'raw-tls'])(
    'by an unknown client (%s) is reported for the lane, with its destination',
    async (way) => {
      const first = text(`/batched/${way}?${to()}`);
      await until('the first has come', async () => Number(await text('/count')) === 1);
      const second = text(`/batched/${way}?${to()}`, 'k1');
      await release(2);
      await Promise.all([first, second]);
      const report = await until('the doubt is told', () => router.take()[0]);
      expect(report.headers).toMatchObject({
        baggage: 'surety-lane=k1',
        'x-surety-to': `127.0.0.1:${baseline.port}`,
        'x-surety-method': 'timer',
        'x-surety-path': 'shared',
      });
    },
  );

  test('for requests of one lane carries its key', async () => {
    const both = [0, 1].map(() => text(`/batched/fetch?${to()}`, 'k1'));
    await release(2, 'k1');
    expect(await Promise.all(both)).toEqual(['router', 'router']);
    expect(baseline.take()).toEqual([]);
    expect(router.take().map(({ headers }) => headers['x-surety-report'])).toEqual([undefined]);
  });

  test('does not take the key from a request that only awaits the timer', async () => {
    const calls = ['k1', undefined, 'k2'].map((key) => text(`/paused/fetch?${to()}`, key));
    expect(await Promise.all(calls)).toEqual(['router', 'baseline', 'router']);
  });
});
