import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withRedis } from '../src/lanes/data/redis/connection.ts';
import { killForGood } from './harness/kill-for-good.ts';
import { killHard } from './harness/kill-hard.ts';
import { type StoredLane, StoredSystem } from './harness/systems/stored-system.ts';
import { until } from './harness/until.ts';

const own = { files: 'branch', cache: 'branch' } as const;

let system: StoredSystem;

beforeAll(async () => {
  system = await StoredSystem.start();
});

afterAll(() => system[Symbol.asyncDispose]());

const keysOf = (url: string): Promise<unknown> => withRedis(url, (send) => send('KEYS', '*'));

describe('the live stores', () => {
  test('get the migrations and seeds of the running version, unless they are external', () => {
    expect(system.lines(system.live.files, 'migrated')).toEqual(['for the live one']);
    expect(system.lines(system.live.files, 'seeded')).toEqual(['for the live one']);
    expect(system.lines(system.live.files, 'migrated-elsewhere')).toEqual([]);
  });
});

describe('a lane with data of its own', () => {
  let lane: StoredLane;
  let [files, cache]: string[] = [];

  beforeAll(async () => {
    lane = await system.open(own);
    [, files = '', cache = ''] = await system.through(lane);
  });

  test('gives its candidates the addresses that the branch commands and the server returned', async () => {
    expect(lane.lane.data).toContainEqual({
      store: 'files',
      mode: 'branch',
      branch: lane.lane.lane,
    });
    expect(files).toMatch(new RegExp(`^file://.*/branches/${lane.lane.lane}$`));
    expect(system.lines(files as string, 'made')).toEqual([
      `mode branch of files from ${system.live.files}`,
    ]);
    expect(await keysOf(cache as string)).toEqual(['surety:lane']);
    expect(await system.baseline()).toEqual(['one', system.live.files, system.live.cache]);
  });

  test('gets the migrations of its version, which the live store never gets', () => {
    expect(system.lines(files as string, 'migrated')).toEqual([`for ${lane.lane.lane}`]);
    expect(system.lines(files as string, 'seeded')).toEqual([]);
    expect(system.lines(system.live.files, 'migrated')).toEqual(['for the live one']);
  });

  test('shares it with a lane on top of it, which gets no live data', async () => {
    const above = await system.open({}, { on: lane.lane.lane, services: ['orders'] });
    expect((await system.through(above)).slice(1)).toEqual([files, cache]);
    expect(above.lane.data).toContainEqual({
      store: 'files',
      mode: 'shared',
      branch: lane.lane.lane,
    });
    await system.close(above);
    expect(await system.through(lane)).toEqual(['two', files, cache]);
    expect(system.lines(files as string, 'made')).toHaveLength(1);
  });

  test('deletes all of it when it is closed', async () => {
    await system.close(lane);
    expect(system.left()).toEqual([]);
    expect(await keysOf(cache as string)).toEqual([]);
  });
});

describe('a lane with its own data that lacks a service of the store', () => {
  test.each([
    ['some of', ['orders'], 'ledger'],
    ['all', [], 'orders, ledger'],
  ])(
    'is refused with the names of %s the missing services, and leaves nothing behind',
    async (_, services, missing) => {
      await expect(system.open(own, { services })).rejects.toMatchObject({
        code: 'DATA_BRANCH_UNSAFE',
        message: expect.stringContaining(`${missing} would keep using the live one`),
      });
      expect(system.left()).toEqual([]);
    },
  );
});

describe('the data of an expired lane', () => {
  const pids = async (): Promise<{ daemon: number; keeper: number }> => {
    const { pid, keeper } = await system.workspace.client().call('GET /v1/status', {});
    if (!keeper) throw new Error('There is no keeper.');
    return { daemon: pid, keeper: keeper.pid };
  };
  /** Sooner than it would have ended; nobody has to be alive for it. */
  const endSoon = ({ lane: { lane } }: StoredLane): Promise<unknown> =>
    system.workspace
      .client()
      .call('POST /v1/lanes/{lane}/extend', { path: { lane }, body: { ttlMs: 500 } });
  const isGone = (): boolean => system.left().length === 0;

  test('is deleted even if the daemon was killed and not restarted', async () => {
    const lane = await system.open(own);
    const [, , cache = ''] = await system.through(lane);
    const { daemon } = await pids();
    await endSoon(lane);
    const revive = await killForGood(system.workspace, daemon);
    await until('nothing is left', isGone);
    expect(await keysOf(cache)).toEqual([]);
    await revive();
  });

  test('is deleted after daemon and keeper were both killed, as soon as they are back', async () => {
    const lane = await system.open(own);
    const [, , cache = ''] = await system.through(lane);
    const { daemon, keeper } = await pids();
    const noteAs = system.notesOf(lane);
    await endSoon(lane);
    await killHard(keeper);
    await killHard(daemon);
    // And one that even the keeper knows nothing of any more.
    noteAs('lane_forgotten');
    expect(system.left()).toContain('lane_forgotten.json');
    await system.workspace.up();
    await until('nothing is left', isGone);
    expect(await keysOf(cache)).toEqual([]);
  });
});

describe('a system that is started again', () => {
  test('is migrated again, but not seeded twice', async () => {
    await system.workspace.run('system', 'down');
    await system.workspace.run('system', 'up');
    expect(system.lines(system.live.files, 'migrated')).toHaveLength(2);
    expect(system.lines(system.live.files, 'seeded')).toHaveLength(1);
  });
});
