import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { serviceNodes } from '../old-node.fixture.ts';
import { Recorder, Service } from '../service.fixture.ts';

describe.each(serviceNodes)('a keyed request on %s', (node) => {
  let router: Recorder;
  let baseline: Recorder;
  let service: Service;

  beforeAll(async () => {
    router = await Recorder.open('router');
    baseline = await Recorder.open('baseline');
    const tag = { instance: 'a/lane_1/x', router: `127.0.0.1:${router.port}` };
    service = await Service.start({ node, tag });
  });

  afterAll(async () => {
    for (const one of [service, router, baseline]) await one?.[Symbol.asyncDispose]();
  });

  const to = (): string => `to=http://127.0.0.1:${baseline.port}/`;
  const text = async (path: string, key?: string, init?: RequestInit): Promise<string> =>
    (await service.ask(path, key, init)).text();

  test('may carry its key in either header', async () => {
    for (const headers of [{ baggage: 'surety-lane=k1' }, { tracestate: 'surety=k1' }]) {
      expect(await text(`/call/get?${to()}`, undefined, { headers })).toBe('router');
      const [seen] = router.take();
      expect(seen?.headers).toMatchObject({ baggage: 'surety-lane=k1', tracestate: 'surety=k1' });
    }
  });

  test('gets the serving instance in its answer, in whatever form the application answers', async () => {
    for (const form of ['implicit', 'object', 'flat', 'nested', 'cleared']) {
      const answer = await service.ask(`/reply/${form}`, 'k1');
      const cookies = form === 'cleared' ? [] : ['a=1', 'b=2'];
      const { status, headers } = answer;
      expect([form, headers.get('x-surety-served')]).toEqual([form, 'a/lane_1/x']);
      expect([form, status]).toEqual([form, form === 'implicit' ? 200 : 201]);
      expect([form, headers.getSetCookie()]).toEqual([form, cookies]);
      expect(await answer.text()).toBe('ok');
    }
  });

  test('does not affect the answer to an unkeyed request', async () => {
    await using untagged = await Service.start({ node });
    for (const form of ['implicit', 'object', 'flat', 'nested', 'cleared']) {
      const [tagged, bare] = await Promise.all(
        [service, untagged].map(async (one) => [...(await one.ask(`/reply/${form}`)).headers]),
      );
      const timeless = (lines = [] as [string, string][]) =>
        lines.filter(([name]) => name !== 'date');
      expect(timeless(tagged)).toEqual(timeless(bare));
    }
  });

  test('keeps its key in the callbacks of its body', async () => {
    const post = { method: 'POST', body: 'x', headers: { baggage: 'surety-lane=k1' } };
    expect(await text(`/after-body/get?${to()}`, undefined, post)).toBe('router');
    expect(await text(`/after-body/get?${to()}`, undefined, { method: 'POST' })).toBe('baseline');
    router.take();
    baseline.take();
  });

  test('keeps its key for the retry of a failed call', async () => {
    const nobody = await Recorder.open('nobody');
    await using failing = await Service.start({
      node,
      tag: { router: `127.0.0.1:${nobody.port}` },
    });
    nobody.server.removeAllListeners('request');
    // Hangs up on the first call, and answers the second.
    let calls = 0;
    nobody.server.on('request', (request, response) => {
      if (request.headers['x-surety-report']) response.end();
      else if (++calls === 1) request.socket.destroy();
      else response.end('second');
    });
    const path = `/when-failed/get?nobody=http://127.0.0.1:1/&${to()}`;
    expect(await (await failing.ask(path, 'k1')).text()).toBe('second');
    expect(baseline.take()).toEqual([]);
    await nobody[Symbol.asyncDispose]();
  });

  test('does not pass its key to requests at a server that it started', async () => {
    const keyed = await service.ask('/another-server', 'k1');
    const reader = (keyed.body as ReadableStream<Uint8Array>).getReader();
    const { value = [] } = await reader.read();
    const address = `http://127.0.0.1:${Buffer.from(value)}/call/get?${to()}`;
    expect(await (await fetch(address)).text()).toBe('baseline');
    expect(router.take()).toEqual([]);
    baseline.take();
    await reader.cancel();
  });

  test('keeps its key for calls that begin when it ends', async () => {
    expect(await text(`/when-over/fetch?${to()}`, 'k1')).toBe('later');
    const left = await service.ask(`/when-left/fetch?${to()}`, 'k1');
    await left.body?.cancel();
    await until('both calls are there', () => router.seen.length === 2);
    const keys = router.take().map(({ headers }) => headers.tracestate);
    expect(keys).toEqual(['surety=k1', 'surety=k1']);
    expect(baseline.take()).toEqual([]);
  });

  test('ends its key: calls long after it go to the baseline and are reported', async () => {
    expect(await text(`/long-after/fetch?${to()}`, 'k1')).toBe('later');
    expect(await text(`/long-after/get?${to()}`, 'k1')).toBe('later');
    await until('both calls are there', () => baseline.seen.length === 2);
    expect(baseline.take().map(({ headers }) => headers.tracestate)).toEqual([
      undefined,
      undefined,
    ]);
    // And the lane is told.
    await until('both reports are there', () => router.seen.length === 2);
    for (const { headers } of router.take()) {
      expect(headers).toMatchObject({ 'x-surety-report': 'escape', 'x-surety-path': 'late' });
    }
  });
});
