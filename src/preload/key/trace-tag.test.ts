import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { Recorder, Service } from '../service.fixture.ts';

const { keyOfTrace } = createRequire(import.meta.url)('./trace-tag.cjs');

const secret = Buffer.from('0123456789abcdef'.repeat(4), 'hex');
const lane = '00c0ffee';
/** As the router makes them. */
const signature = createHmac('sha256', secret).update(Buffer.from(lane, 'hex')).digest('hex');
const traceparent = `00-5e1a${lane}${signature.slice(0, 6)}0011223344556677-${'cd'.repeat(8)}-01`;

describe('the lane of a trace id', () => {
  test.each<[string, string, string | undefined]>([
    ['with our tag', traceparent, `trace-${lane}`],
    ['with another marker', traceparent.replace('5e1a', '5e1b'), undefined],
    ['with a wrong signature', traceparent.replace(lane, '00c0ffef'), undefined],
    ['of nobody', `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`, undefined],
    ['that is cut off', traceparent.slice(0, 20), undefined],
    ['that is empty', '', undefined],
    ['with other characters', `00-5e1a${'g'.repeat(14)}`, undefined],
  ])('%s', (_, given, key) => {
    expect(keyOfTrace(given, secret)).toBe(key);
  });

  test('cannot be read without the secret or with another secret', () => {
    expect(keyOfTrace(traceparent, undefined)).toBeUndefined();
    expect(keyOfTrace(traceparent, Buffer.alloc(32))).toBeUndefined();
  });
});

// proves: lanes.trace-id
describe('a request whose key was dropped on the way, past the router', () => {
  let router: Recorder;
  let baseline: Recorder;
  let service: Service;

  beforeAll(async () => {
    router = await Recorder.open('router');
    baseline = await Recorder.open('baseline');
    const own = { service: 'orders', instance: 'orders/baseline/1' };
    const tag = { ...own, router: `127.0.0.1:${router.port}`, traceSecret: secret.toString('hex') };
    service = await Service.start({ tag });
  });

  afterAll(async () => {
    for (const one of [service, router, baseline]) await one?.[Symbol.asyncDispose]();
  });

  const ask = async (headers: Record<string, string>): Promise<string> => {
    const path = `/call/get?to=http://127.0.0.1:${baseline.port}/on`;
    return (await service.ask(path, undefined, { headers })).text();
  };

  test('continues through the router, which learns where the key was lost', async () => {
    expect(await ask({ traceparent, 'x-surety-from': 'edge' })).toBe('router');
    await until('the report is there', () => router.seen.length === 2);
    const seen = router.take();
    const [onward] = seen.filter(({ url }) => url === '/on');
    expect(onward?.headers).toMatchObject({ tracestate: `surety=trace-${lane}`, traceparent });
    const [report] = seen.filter(({ url }) => url === '/');
    expect(report).toMatchObject({
      method: 'POST',
      headers: {
        'x-surety-report': 'escape',
        baggage: `surety-lane=trace-${lane}`,
        'x-surety-from': 'edge',
        'x-surety-at': 'orders',
        'x-surety-instance': 'orders/baseline/1',
        'x-surety-method': 'GET',
        'x-surety-path': expect.stringContaining('/call/get'),
      },
    });
  });

  test('is identified by its key while it has one, and asks once whether it came to the right instance', async () => {
    for (let times = 0; times < 3; times++) {
      expect(await ask({ traceparent, baggage: 'surety-lane=k1' })).toBe('router');
      await until('the router was asked', () => router.asked.length === 1);
    }
    expect(router.take().map(({ url }) => url)).toEqual(['/on', '/on', '/on']);
  });

  test('belongs to no lane if its tag is not from Surety', async () => {
    expect(await ask({ traceparent: traceparent.replace(lane, '00c0ffef') })).toBe('baseline');
    expect(router.take()).toEqual([]);
    baseline.take();
  });

  test('is served even if nobody accepts the report', async () => {
    const tag = { router: '127.0.0.1:1', traceSecret: secret.toString('hex') };
    await using alone = await Service.start({ tag });
    const answers = Array.from({ length: 80 }, () =>
      alone.ask('/reply/implicit', undefined, { headers: { traceparent } }),
    );
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});
