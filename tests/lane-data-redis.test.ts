import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Send, withRedis } from '../src/lanes/data/redis/connection.ts';
import { copyKeys } from '../src/lanes/data/redis/copy-keys.ts';
import { laneLimits } from '../src/lanes/limits.ts';
import { type LocalServer, startRedis } from './harness/local-server.ts';
import { createDataScene, type DataScene } from './harness/systems/data-scene.ts';

let server: LocalServer;
let live: string;
const scenes: DataScene[] = [];

beforeAll(async () => {
  server = await startRedis(4);
  live = `redis://127.0.0.1:${server.port}/1`;
});

afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.end();
  await redis(live, (send) => send('FLUSHALL'));
});

afterAll(() => server.stop());

const redis = <Result>(url: string, work: (send: Send) => Promise<Result>): Promise<Result> =>
  withRedis(url, work);

function createScene(branch: 'database' | 'prefix'): DataScene {
  const scene = createDataScene(`
services:
  orders: { command: x, port: 1, stores: [cache] }
  ledger: { command: x, port: 2 }
datastores:
  cache:
    kind: redis
    url: ${live}
    variable: REDIS_URL
    branch: ${branch}
`);
  scenes.push(scene);
  return scene;
}

const addressOf = (scene: DataScene, lane: string): string =>
  String(scene.data.environment(lane, 'orders').REDIS_URL);

const keysOf = (url: string): Promise<readonly string[]> =>
  redis(url, async (send) => [...((await send('KEYS', '*')) as string[])].sort());

describe('a logical Redis database of a lane', () => {
  test('has a copy of every type of key, and neither side sees the writes of the other', async () => {
    await redis(live, async (send) => {
      await send('SET', 'text', 'live');
      await send('HSET', 'hash', 'field', '\xff\x00');
      await send('SET', 'short', 'lived', 'EX', 100);
    });
    const scene = createScene('database');
    const [data] = await scene.open('lane_a', { cache: 'branch' });
    expect(data).toEqual({ store: 'cache', mode: 'branch', branch: 'database 0' });
    const own = addressOf(scene, 'lane_a');
    expect(await keysOf(own)).toEqual(['hash', 'short', 'surety:lane', 'text']);
    expect(await redis(own, (send) => send('HGET', 'hash', 'field'))).toBe('\xff\x00');
    expect(await redis(own, (send) => send('TTL', 'short'))).toBeGreaterThan(0);
    await redis(own, (send) => send('SET', 'text', 'lane'));
    expect(await redis(live, (send) => send('GET', 'text'))).toBe('live');
  });

  test('is empty on request, and is the only one cleared when the lane ends', async () => {
    await redis(live, (send) => send('SET', 'text', 'live'));
    const scene = createScene('database');
    await scene.open('lane_b', { cache: 'empty' });
    const own = addressOf(scene, 'lane_b');
    expect(await keysOf(own)).toEqual(['surety:lane']);
    await redis(own, (send) => send('SET', 'left', 'behind'));
    await scene.data.close('lane_b');
    await scene.data.close('lane_b');
    expect(await keysOf(own)).toEqual([]);
    expect(await keysOf(live)).toEqual(['text']);
  });

  test('is never given to two lanes, even of two daemons, and is never the live one', async () => {
    const [one, other] = [createScene('database'), createScene('database')];
    await one.open('lane_c', { cache: 'empty' });
    await redis(addressOf(one, 'lane_c'), (send) => send('FLUSHDB'));
    await Promise.all([
      one.open('lane_d', { cache: 'empty' }),
      one.open('lane_e', { cache: 'empty' }),
    ]);
    const own = ['lane_c', 'lane_d', 'lane_e'].map((lane) => addressOf(one, lane));
    expect(new Set([...own, live]).size).toBe(4);
    await one.data.close('lane_c');
    await redis(own[0] as string, (send) => send('SET', 'somebody', 'else'));
    await expect(other.open('lane_f', { cache: 'empty' })).rejects.toMatchObject({
      code: 'DATA_BRANCHES_USED_UP',
    });
    expect(await keysOf(own[0] as string)).toEqual(['somebody']);
    expect(await keysOf(own[1] as string)).toEqual(['surety:lane']);
  });

  test('is cleared by a separate program when the daemon is not running', async () => {
    const scene = createScene('database');
    await scene.open('lane_g', { cache: 'empty' });
    const own = addressOf(scene, 'lane_g');
    const [program = '', ...words] = scene.data.reapCommand('lane_g') ?? [];
    execFileSync(program, words, { stdio: 'pipe', env: {} });
    expect(await keysOf(own)).toEqual([]);
  });
});

describe('a Redis key prefix of a lane', () => {
  test("has a copy of the live keys but of no other lane's, and is cleared when the lane ends", async () => {
    await redis(live, (send) => send('SET', 'text', 'live'));
    const scene = createScene('prefix');
    await scene.open('lane_h', { cache: 'branch' });
    await scene.open('lane_i', { cache: 'branch' });
    expect(scene.data.environment('lane_h', 'orders')).toEqual({
      REDIS_URL: live,
      REDIS_URL_PREFIX: 'surety:lane_h:',
    });
    expect(await keysOf(live)).toEqual(['surety:lane_h:text', 'surety:lane_i:text', 'text']);
    await scene.data.close('lane_h');
    expect(await keysOf(live)).toEqual(['surety:lane_i:text', 'text']);
  });
});

describe('a Redis branch', () => {
  test(`of ${laneLimits.redisBranchKeysMax} keys (laneLimits.redisBranchKeysMax) is copied, a larger one is refused`, async () => {
    const copy = (keys: number, keysMax: number): Promise<void> =>
      redis(live, async (send) => {
        await send('FLUSHDB');
        await Promise.all(Array.from({ length: keys }, (_, n) => send('SET', `key${n}`, n)));
        await copyKeys(send, 'cache', (key) => ['COPY', key, key, 'DB', 2, 'REPLACE'], keysMax);
      });
    await expect(copy(1_201, 1_200)).rejects.toMatchObject({ code: 'DATA_BRANCH_TOO_LARGE' });
    await copy(1_200, 1_200);
    expect(await keysOf(live.replace(/1$/, '2'))).toHaveLength(1_200);
  });

  test('of a server that is not Redis is refused, without showing its password', async () => {
    const scene = createDataScene(`
services:
  orders: { command: x, port: 1, stores: [cache] }
datastores:
  cache: { kind: redis, url: "redis://:s3cret@127.0.0.1:${server.port}", variable: REDIS_URL }
`);
    scenes.push(scene);
    const opening = scene.open('lane_j', { cache: 'branch' }, ['orders']);
    await expect(opening).rejects.toMatchObject({ code: 'DATA_BRANCH_FAILED' });
    await expect(opening).rejects.not.toThrow('s3cret');
  });
});
