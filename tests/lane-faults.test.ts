import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isDeep, runs } from './harness/deep.ts';
import { killForGood } from './harness/kill-for-good.ts';
import { killHard } from './harness/kill-hard.ts';
import { noSmallDisk, SmallDisk } from './harness/small-disk.ts';
import { isListening } from './harness/systems/lane-system.ts';
import { git } from './harness/systems/small-system.ts';
import { type TinyLane, TinySystem } from './harness/systems/tiny-system.ts';
import { until } from './harness/until.ts';

const mebi = 1_024 * 1_024;
const lanesMax = runs(5, 100);
const lanesKilled = runs(4, 20);

/** The id of a lane is in the mark of all its processes, also of those that left its group. */
function processesOf({ workspace }: TinySystem, { lane: { lane } }: TinyLane): number[] {
  return workspace.processes().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`/${lane}.`);
    } catch {
      return false;
    }
  });
}

/** What there is of a lane on this machine, besides its place in the ledger. */
function leftOf(system: TinySystem, lane: TinyLane): string[] {
  const { root, place } = system.workspace;
  const { lane: id, candidates } = lane.lane;
  return [
    ...processesOf(system, lane).map((pid) => `process ${pid}`),
    ...candidates.filter(({ port }) => isListening(port)).map(({ port }) => `port ${port}`),
    ...(existsSync(join(place.trees, id)) ? ['its tree'] : []),
    ...(existsSync(join(root, '.git', 'worktrees', id)) ? ['what git knows of its tree'] : []),
  ];
}

const versions = (count: number): string[] =>
  Array.from({ length: count }, (_, number) => `v${number}`);

const answers = (system: TinySystem, lanes: readonly TinyLane[]): Promise<string[]> =>
  Promise.all(lanes.map((lane) => system.through(lane)));

async function untilAllServe(system: TinySystem, lanes: readonly TinyLane[]): Promise<void> {
  const wanted = versions(lanes.length).join();
  await until('all lanes serve', async () => (await answers(system, lanes)).join() === wanted);
}

/** Its main program, from the sources or from a bundle of them. */
function findPid({ workspace }: TinySystem, name: string): number | undefined {
  const program = new RegExp(`[/-]${name}[/-]main\\.[jt]s$`);
  return workspace.processes().find((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words.some((word) => program.test(word));
    } catch {
      return false;
    }
  });
}

/** It may be on its way: whoever was killed is started again. */
const pidOf = (system: TinySystem, name: string): Promise<number> =>
  until(`there is a ${name}`, () => findPid(system, name));

/** It ends in a moment: sooner than it would have. */
const endSoon = ({ workspace }: TinySystem, { lane: { lane } }: TinyLane): Promise<unknown> =>
  workspace.client().call('POST /v1/lanes/{lane}/extend', { path: { lane }, body: { ttlMs: 500 } });

describe(`${lanesKilled} lanes`, () => {
  // proves: lanes.ttl
  test.runIf(isDeep)(
    'survive kill -9 of daemon, router and keeper, and end on time without the daemon',
    async () => {
      await using system = await TinySystem.start();
      const lanes = await system.openMany(lanesKilled);
      expect(await answers(system, lanes)).toEqual(versions(lanesKilled));
      const programs = system.workspace.programs();
      const ofLane = processesOf(system, lanes[0] as TinyLane);
      expect(ofLane.filter((pid) => programs.includes(pid))).toHaveLength(2);

      await killHard(await pidOf(system, 'daemon'));
      expect(await answers(system, lanes)).toEqual(versions(lanesKilled));
      // The keeper starts it again, and it knows what its predecessor was told.
      await killHard(await pidOf(system, 'router'));
      await untilAllServe(system, lanes);
      await system.workspace.up();
      await killHard(await pidOf(system, 'router'));
      await untilAllServe(system, lanes);
      const keeper = await pidOf(system, 'keeper');
      await killHard(keeper);
      expect(await answers(system, lanes)).toEqual(versions(lanesKilled));
      await until(
        'there is a new keeper',
        () => ![undefined, keeper].includes(findPid(system, 'keeper')),
      );
      await untilAllServe(system, lanes);

      const ending = lanes.slice(-lanesKilled / 4);
      for (const lane of ending) await endSoon(system, lane);
      const revive = await killForGood(system.workspace, await pidOf(system, 'daemon'));
      await until('the ended ones are gone', () =>
        ending.every((lane) => leftOf(system, lane).length === 0),
      );
      await killHard(await pidOf(system, 'router'));
      await untilAllServe(system, lanes.slice(0, (lanesKilled * 3) / 4));
      const [last] = ending;
      expect(await system.through(last as TinyLane)).toBe('refused with 503');
      expect(await answers(system, lanes.slice(0, (lanesKilled * 3) / 4))).toEqual(
        versions((lanesKilled * 3) / 4),
      );
      expect(await system.baseline()).toBe('one');

      // Keeper and daemon gone at once, and some ended meanwhile: who comes next cleans up.
      await revive();
      const more = lanes.slice(lanesKilled / 2, (lanesKilled * 3) / 4);
      for (const lane of more) await endSoon(system, lane);
      await killHard(await pidOf(system, 'keeper'));
      await killHard(await pidOf(system, 'daemon'));
      await system.workspace.up();
      await until('these are gone too', () =>
        more.every((lane) => leftOf(system, lane).length === 0),
      );
      await until('the ledger knows', async () => {
        const { lanes: open } = await system.workspace.client().call('GET /v1/lanes', {});
        return open.length === lanesKilled / 2;
      });
      await untilAllServe(system, lanes.slice(0, lanesKilled / 2));
      expect(await system.workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
    },
  );
});

describe.skipIf(noSmallDisk !== null)(
  `a full disk${noSmallDisk ? ` (${noSmallDisk})` : ''}`,
  () => {
    test('refuses a lane with the reason, leaves nothing behind, and accepts it once there is room', async () => {
      await using disk = new SmallDisk(48 * mebi);
      const files = { 'large.bin': randomBytes(4 * mebi) };
      await using system = await TinySystem.start({ parent: disk.path, files });
      const before = system.workspace.processes().length;
      disk.fill(2 * mebi);
      await expect(system.openMany(1)).rejects.toMatchObject({
        code: 'GIT_FAILED',
        message: expect.stringContaining('unable to write'),
      });
      const { root, place } = system.workspace;
      const lanes = (directory: string): string[] =>
        readdirSync(directory).filter((name) => name.startsWith('lane_'));
      expect([...lanes(place.trees), ...lanes(join(root, '.git', 'worktrees'))]).toEqual([]);
      expect(system.workspace.processes().length).toBe(before);
      expect(await system.baseline()).toBe('one');
      disk.free();
      expect(await answers(system, await system.openMany(1))).toEqual(['v0']);
    });
  },
);

describe(`${lanesMax} lanes`, () => {
  test('open at once, each with its own port and answer', async () => {
    await using system = await TinySystem.start({ lanesMax });
    const lanes = await system.openMany(lanesMax);
    const ports = lanes.flatMap(({ lane }) => lane.candidates.map(({ port }) => port));
    expect(new Set(ports).size).toBe(lanesMax);
    expect(await answers(system, lanes)).toEqual(versions(lanesMax));
    await expect(system.openMany(1)).rejects.toMatchObject({
      code: 'LANES_FULL',
      message: expect.stringContaining(`${lanesMax} of ${lanesMax} lanes are in use`),
    });
    const client = system.workspace.client();
    await Promise.all(
      lanes.map(({ lane: { lane } }) =>
        client.call('POST /v1/lanes/{lane}/close', { path: { lane } }),
      ),
    );
    expect(lanes.flatMap((lane) => leftOf(system, lane))).toEqual([]);
    const { trees } = system.workspace.place;
    expect(readdirSync(trees).filter((name) => name.startsWith('lane_'))).toEqual([]);
    expect(git(system.workspace.root, 'worktree', 'list')).not.toContain('lane_');
    expect(await system.baseline()).toBe('one');
  });
});
