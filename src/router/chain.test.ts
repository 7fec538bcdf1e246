import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../tests/harness/until.ts';
import { Chain } from './chain.fixture.ts';
import { end } from './scene.fixture.ts';

/** Services may run on an older Node than Surety does; Debian's usually is. */
const debian = '/usr/bin/node';
const versionOf = (node: string): number =>
  Number.parseInt(execFileSync(node, ['--version'], { encoding: 'utf8' }).slice(1), 10);
const isOlder = existsSync(debian) && versionOf(debian) < 22;
if (!isOlder) process.stderr.write(`${debian} is not older than 22: services run on this Node\n`);

describe.each([process.execPath, ...(isOlder ? [debian] : [])])('services on %s', (node) => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await Chain.open(node);
  });
  afterAll(() => chain[Symbol.asyncDispose]());

  const candidates = { k1: 'one', k2: 'two' } as const;

  test('a keyed request reaches the candidate of its lane, hop by hop', async () => {
    const answer = await chain.ask('/', { key: 'k1', id: 'first' });
    expect(await answer.json()).toEqual({ trail: ['front', 'one', 'last'] });
    expect(answer.headers.get('x-surety-lane')).toBe('lane_k1');
    expect(answer.headers.get('x-surety-served')).toBeNull();
    const hops = await chain.scene.hops('k1', 3);
    const { instance } = chain.get('one');
    const common = { key: 'k1', requestId: 'first', status: 200, path: '/' };
    expect(hops.toSorted((a, b) => a.at - b.at || b.n - a.n)).toMatchObject([
      { ...common, from: null, to: 'front', instance: 'baseline', served: 'front/baseline/1' },
      { ...common, from: 'front', to: 'middle', instance, served: instance },
      {
        ...common,
        from: 'middle',
        to: 'last',
        instance: 'baseline',
        served: 'last/baseline/1',
        responseBody: { trail: ['last'] },
      },
    ]);
  });

  test('an injected fault strikes at the hop that it names, however deep', async () => {
    const ask = (fault: string) => chain.ask('/', { key: 'k1', id: 'struck', fault });
    const answer = await ask('middle>last:status=418|front>middle:delay=5');
    expect(await answer.json()).toEqual({ error: 'injected by surety: status=418' });
    expect(answer.status).toBe(418);
    expect(await (await ask('last>front:reset')).json()).toMatchObject({
      trail: expect.anything(),
    });
    const struck = (await chain.scene.hops('k1', 8)).filter(
      ({ requestId }) => requestId === 'struck',
    );
    const seen = struck.map(({ to, injected = '' }) => `${to} ${injected}`.trim()).sort();
    const plain = ['front', 'last', 'middle'];
    expect(seen).toEqual(['front', 'last status=418', 'middle delay=5', ...plain].sort());
  });

  test('an unkeyed request stays untouched by Surety', async () => {
    const answer = await chain.ask('/');
    expect(await answer.json()).toEqual({ trail: ['front', 'middle', 'last'] });
    expect([...answer.headers.keys()].filter((name) => name.includes('surety'))).toEqual([]);
  });

  test("lanes and baseline never see each other's requests over shared connection pools", async () => {
    const keys = [undefined, 'k1', 'k2'] as const;
    const asked = Array.from({ length: 120 }, (_, n) => ({ key: keys[n % 3], id: `mix-${n}` }));
    const trails = await Promise.all(asked.map(({ key, id }) => chain.trail(key, id)));
    const middleOf = (key: (typeof keys)[number]): string => (key ? candidates[key] : 'middle');
    expect(trails).toEqual(asked.map(({ key }) => ['front', middleOf(key), 'last']));
    for (const key of keys) {
      const served = (await chain.served(middleOf(key))).filter((id) => id.startsWith('mix-'));
      const expected = asked.filter((one) => one.key === key).map(({ id }) => id);
      expect(served.toSorted()).toEqual(expected.toSorted());
    }
  });

  test('a key ends with its request, and later work goes to the baseline', async () => {
    expect((await chain.ask('/late', { key: 'k1', id: 'late' })).status).toBe(200);
    await until('the work is done', async () => (await chain.served('last')).includes('late'));
    expect(await chain.served('middle')).toContain('late');
    expect(await chain.served('one')).not.toContain('late');
  });

  test('a request in progress may finish when its lane ends, and the next one is refused', async () => {
    let tries = 0;
    // A machine that has much else to do may take longer than it is given.
    const finished = await until('one has finished', async () => {
      await chain.scene.router.setTable(chain.table());
      const id = `held-${++tries}`;
      const underway = chain.ask('/hold', { key: 'k1', id });
      await until('it is held', async () => (await chain.served('last')).includes(id));
      await chain.scene.router.setTable(chain.table(['k2']));
      await chain.release('last');
      const answer = await underway;
      return answer.ok && answer.json();
    });
    expect(finished).toEqual({ trail: ['front', 'one', 'last'] });
    const refused = await chain.ask('/', { key: 'k1', id: 'dead' });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ fault: { code: 'LANE_UNKNOWN' } });
    expect(await chain.trail('k2')).toEqual(['front', 'two', 'last']);
    for (const name of ['front', 'middle', 'one', 'two', 'last']) {
      expect(await chain.served(name)).not.toContain('dead');
    }
    await chain.scene.router.setTable(chain.table());
  });

  test('a key that expires on the way is refused there and never falls back to the baseline', async () => {
    // Past the router: the front holds a key of which the router knows nothing.
    const headers = { baggage: 'surety-lane=k9', 'x-request-id': 'stray' };
    const answer = await fetch(`http://127.0.0.1:${chain.get('front').port}/`, { headers });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ fault: { code: 'LANE_UNKNOWN' } });
    expect(await chain.served('middle')).not.toContain('stray');
  });

  test.each([
    ['no key', {}],
    ['an unknown key', { baggage: 'surety-lane=k9' }],
    ['contradicting keys', { baggage: 'surety-lane=k1', tracestate: 'surety=k2' }],
  ])('a request with %s is refused at the door', async (name, key) => {
    const headers = { ...key, 'x-request-id': name };
    const answer = await fetch(`http://127.0.0.1:${chain.scene.port}/`, { headers });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ fault: { code: 'LANE_UNKNOWN' } });
    expect(await chain.served('front')).not.toContain(name);
  });

  test('a dead candidate affects only its own lane', async () => {
    await end(chain.get('one').child, 'SIGKILL');
    const answer = await chain.ask('/', { key: 'k1', id: 'orphan' });
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({
      fault: {
        code: 'LANE_SERVICE_DOWN',
        message: expect.stringContaining('candidate of middle in lane lane_k1 '),
      },
    });
    expect(await chain.served('middle')).not.toContain('orphan');
    expect(await chain.trail('k2')).toEqual(['front', 'two', 'last']);
    expect(await chain.trail()).toEqual(['front', 'middle', 'last']);
    const orphan = await until('it is recorded', async () => {
      const { hops } = await chain.scene.router.hops('k1');
      return hops.find(({ requestId, to }) => requestId === 'orphan' && to === 'middle');
    });
    const instance = 'middle/lane_one/1';
    expect(orphan).toMatchObject({ status: 502, served: null, answered: false, instance });
  });

  test('a dead router does not affect the baseline', async () => {
    process.kill((await chain.scene.router.identity()).pid, 'SIGKILL');
    expect(await chain.trail()).toEqual(['front', 'middle', 'last']);
  });
});
