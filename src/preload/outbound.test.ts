import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../../tests/harness/deep.ts';
import { Scratch } from '../../tests/harness/scratch.ts';
import { findOldNode } from './old-node.fixture.ts';
import { Recorder, Service, type ServiceOptions } from './service.fixture.ts';

const oldNode = findOldNode();
if (!oldNode) process.stderr.write('no Node 18 to 21 on this machine: services run on this one\n');

const variants: [string, ServiceOptions][] = [
  ['CommonJS', { file: 'service.cjs' }],
  ['ES modules', { file: 'service.mjs' }],
  ...(oldNode ? onOldNode(oldNode).slice(0, runs(1, 2)) : []),
];

function onOldNode(node: string): [string, ServiceOptions][] {
  return [
    ['CommonJS on an old Node', { file: 'service.cjs', node }],
    ['ES modules on an old Node', { file: 'service.mjs', node }],
  ];
}

const plain = [
  'get',
  'get-by-url',
  'get-by-options',
  'get-by-callback',
  'get-by-pool',
  'get-by-class',
  'fetch',
];
const sending = [
  'post-text',
  'post-buffer',
  'post-stream',
  'post-with-list',
  'post-traced-late',
  'fetch-text',
  'fetch-stream',
];
const every = [...plain, ...sending, 'fetch-request', 'fetch-form'];

describe.each(variants)('a service in %s', (_, variant) => {
  let router: Recorder;
  let baseline: Recorder;
  let service: Service;
  let untagged: Service;

  beforeAll(async () => {
    router = await Recorder.open('router');
    baseline = await Recorder.open('baseline');
    const tag = { service: 'orders', router: `127.0.0.1:${router.port}` };
    service = await Service.start({ ...variant, tag });
    untagged = await Service.start(variant);
  });

  afterAll(async () => {
    for (const one of [service, untagged, router, baseline]) await one?.[Symbol.asyncDispose]();
  });

  const to = (): string => `127.0.0.1:${baseline.port}`;
  const call = async (way: string, key?: string, by: Service = service): Promise<string> =>
    (await by.ask(`/call/${way}?to=http://${to()}/path`, key)).text();

  test.each(every)('sends a keyed call by %s to the router', async (way) => {
    expect(await call(way, 'key-1')).toBe('router');
    expect(baseline.take()).toEqual([]);
    const [seen, ...others] = router.take();
    expect(others).toEqual([]);
    expect(seen).toMatchObject({
      url: '/path',
      headers: {
        host: to(),
        baggage: expect.stringMatching(/^surety-lane=key-1(?:,user=7)?$/),
        tracestate: 'surety=key-1',
        'x-surety-to': to(),
        'x-surety-from': 'orders',
      },
    });
    expect(seen?.headers).not.toHaveProperty('x-surety-scheme');
  });

  test.each(every)('sends an unkeyed call by %s exactly as without the preload', async (way) => {
    expect(await call(way)).toBe('baseline');
    const [tagged] = baseline.take();
    await call(way, undefined, untagged);
    const [bare] = baseline.take();
    const form = /formdata-undici-\d+/g;
    const text = (seen: unknown): string => JSON.stringify(seen).replace(form, 'boundary');
    expect(text(tagged)).toBe(text(bare));
    expect(router.take()).toEqual([]);
  });

  test.each(sending)('keeps body and baggage of a keyed call by %s', async (way) => {
    await call(way, 'key-1');
    const [seen] = router.take();
    expect(seen).toMatchObject({ method: 'POST', body: 'hällo' });
    expect(seen?.headers.baggage).toBe('surety-lane=key-1,user=7');
    await call(way);
    const [direct] = baseline.take();
    expect(seen?.headers['content-length']).toBe(direct?.headers['content-length']);
    expect(seen?.headers['content-type']).toBe(direct?.headers['content-type']);
  });

  test('keeps the form data of a keyed call', async () => {
    await call('fetch-form', 'key-1');
    const [seen] = router.take();
    expect(seen?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(seen?.body).toContain('hällo');
  });

  test.each(['https-get', 'https-get-by-odd-agent', 'fetch-https'])(
    'tells the router that a call by %s uses TLS',
    async (way) => {
      expect(await call(way, 'key-1')).toBe('router');
      const [seen] = router.take();
      expect(seen?.headers).toMatchObject({ 'x-surety-to': to(), 'x-surety-scheme': 'https' });
    },
  );

  test('leaves a call without host and port alone', async () => {
    using scratch = new Scratch();
    await using socket = await Recorder.open('socket', scratch.file('s'));
    const path = `/call/socket-path?to=http://127.0.0.1${scratch.file('s')}`;
    expect(await (await service.ask(path, 'key-1')).text()).toBe('socket');
    expect(router.take()).toEqual([]);
    expect(socket.take()).toHaveLength(1);
  });

  test('does not use the pools of the application for keyed calls', async () => {
    await call('get-by-pool');
    await call('get-by-pool', 'key-1');
    expect(JSON.parse(await call('pool-names'))).toEqual([`${to()}:`]);
    router.take();
    baseline.take();
  });

  test('separates calls with different keys and without a key on a shared pool', async () => {
    const keys = [undefined, 'key-1', 'key-2'];
    const calls = Array.from({ length: 60 }, (_, index) => keys[index % keys.length]);
    const ways = ['get-by-pool', 'fetch', 'post-stream', 'fetch-text'];
    const answers = calls.map((key, index) => {
      const address = `http://${to()}/${index}`;
      const way = ways[index % ways.length];
      return service.ask(`/call/${way}?to=${address}`, key).then((answer) => answer.text());
    });
    expect(await Promise.all(answers)).toEqual(
      calls.map((key) => (key === undefined ? 'baseline' : 'router')),
    );
    const byIndex = new Map(router.take().map(({ url, headers }) => [url, headers.tracestate]));
    for (const [index, key] of calls.entries()) {
      expect(byIndex.get(`/${index}`)).toBe(key && `surety=${key}`);
    }
    expect(baseline.take()).toHaveLength(20);
  });

  test('gets the usual error codes when a keyed call fails', async () => {
    await using nobody = await Recorder.open('nobody');
    const router = `127.0.0.1:${nobody.port}`;
    await nobody[Symbol.asyncDispose]();
    await using alone = await Service.start({ ...variant, tag: { router } });
    for (const way of ['get', 'fetch', 'post-text']) {
      const path = `/failing/${way}?to=http://${to()}/`;
      expect(await (await alone.ask(path, 'key-1')).text()).toBe('ECONNREFUSED');
    }
    const wrong = `/failing/get?to=https://${to()}/`;
    expect(await (await alone.ask(wrong, 'key-1')).text()).toBe('ERR_INVALID_PROTOCOL');
    const broken = '/failing/get?to=nowhere';
    expect(await (await alone.ask(broken, 'key-1')).text()).toBe('ERR_INVALID_URL');
    expect(baseline.take()).toEqual([]);
  });

  test('closes a keyed call that it aborts', async () => {
    let isOver: (value: string) => void;
    const over = new Promise<string>((resolve) => {
      isOver = resolve;
    });
    await using endless = await Recorder.open('endless');
    endless.server.removeAllListeners('request');
    endless.server.on('request', (_, response) => {
      response.write('first');
      response.on('close', () => isOver('over'));
    });
    const tag = { router: `127.0.0.1:${endless.port}` };
    await using impatient = await Service.start({ ...variant, tag });
    const answer = await impatient.ask(`/give-up?to=http://${to()}/`, 'key-1');
    expect(await answer.text()).toMatch(/^(?:20|AbortError|ABORT_ERR)$/);
    expect(await over).toBe('over');
  });
});
