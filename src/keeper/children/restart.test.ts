import { describe, expect, test } from 'vitest';
import { keeperLimits } from '../limits.ts';
import { childNamed, isAlive, Scene, until, untilGone } from '../scene.fixture.ts';
import { hasProc } from '../strays/processes.ts';
import type { Exit } from './exit.ts';
import { nextStart, type Restart } from './restart.ts';

const restart: Restart = { backoffMs: 100, most: 3 };
const crash: Exit = { code: 1, signal: null, at: 5_000, reason: 'exited' };
const life = { restart, restarts: 0, startedAt: 4_000 };

describe('nextStart', () => {
  test.each<[string, Partial<typeof life>, Partial<Exit>, ReturnType<typeof nextStart>]>([
    ['the first crash', {}, {}, { at: 5_100, restarts: 1 }],
    ['the third crash in a row', { restarts: 2 }, {}, { at: 5_400, restarts: 3 }],
    ['the last crash of a loop', { restarts: 3 }, {}, undefined],
    [
      'a crash after a long healthy run',
      { restarts: 3, startedAt: 5_000 - keeperLimits.restartCalmMs },
      {},
      { at: 5_100, restarts: 1 },
    ],
    [
      'a crash after a run that was just too short',
      { restarts: 3, startedAt: 5_001 - keeperLimits.restartCalmMs },
      {},
      undefined,
    ],
    [
      'a long row of crashes',
      { restart: { backoffMs: 100, most: keeperLimits.restartsMax }, restarts: 19 },
      {},
      { at: 5_000 + keeperLimits.restartBackoffMsMax, restarts: 20 },
    ],
    ['a requested stop', {}, { reason: 'stopped' }, undefined],
    ['the end of its lease', {}, { reason: 'lease-ended' }, undefined],
    ['a kill for too much memory', {}, { reason: 'over-memory' }, { at: 5_100, restarts: 1 }],
    ['exit code 0', {}, { code: 0 }, { at: 5_100, restarts: 1 }],
    [
      'exit code 0 of one that is only restarted when it failed',
      { restart: { ...restart, onlyFailed: true } },
      { code: 0 },
      undefined,
    ],
    [
      'a kill of one that is only restarted when it failed',
      { restart: { ...restart, onlyFailed: true } },
      { code: null, signal: 'SIGKILL' },
      { at: 5_100, restarts: 1 },
    ],
  ])('is planned correctly after %s', (_, past, exit, expected) => {
    expect(nextStart({ ...life, ...past }, { ...crash, ...exit })).toEqual(expected);
  });
});

describe.runIf(hasProc).concurrent('a child with restarts', () => {
  const quick = { backoffMs: 1, most: 3 };

  // proves: keeper.restart
  test('is restarted after each crash with the same command and environment', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const environment = { PATH: process.env.PATH ?? '', SECRET: 'x y=z' };
    const script = 'echo "run $SECRET"; exec sleep 100';
    const more = { environment, restart: quick };
    const first = await keeper.start(scene.shell('orders', script, more));
    process.kill(first.pid, 'SIGKILL');
    const second = await until('it is back', async () => {
      const child = await childNamed(keeper, 'orders');
      return child?.state === 'running' && child.pid !== first.pid ? child : null;
    });
    expect(second).toMatchObject({ restarts: 1, lastExit: { signal: 'SIGKILL' }, restartAt: null });
    expect(second.instance).not.toBe(first.instance);
    await until('both said so', () => scene.read('logs/orders.log') === 'run x y=z\nrun x y=z\n');
    expect(await keeper.stop('orders')).toMatchObject({ reason: 'stopped' });
    expect(await childNamed(keeper, 'orders')).toMatchObject({ state: 'exited', restartAt: null });
  });

  test('is given up after a number of crashes in a row', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    await keeper.start(scene.shell('broken', 'echo again; exit 3', { restart: quick }));
    await until('it is given up', () => scene.logged('child-given-up').length > 0);
    expect(await childNamed(keeper, 'broken')).toMatchObject({
      state: 'exited',
      restarts: 3,
      restartAt: null,
      exit: { code: 3 },
    });
    expect(scene.read('logs/broken.log')).toBe('again\n'.repeat(4));
  });

  test('is not restarted once it was stopped during the backoff', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const slow = { backoffMs: keeperLimits.restartBackoffMsMax, most: 1 };
    await keeper.start(scene.shell('waiting', 'exit 1', { restart: slow }));
    await until('it waits', async () => (await childNamed(keeper, 'waiting'))?.restartAt);
    await keeper.stop('waiting');
    expect(await childNamed(keeper, 'waiting')).toMatchObject({ restartAt: null });
    await keeper.forget('waiting');
    expect(await keeper.list()).toEqual([]);
  });

  test('is restarted by the next keeper, too, and no file holds its environment', async () => {
    await using scene = new Scene();
    const first = await scene.keeper();
    const environment = { PATH: process.env.PATH ?? '', SECRET: 'hunter2' };
    const more = { environment, restart: quick };
    const child = await first.start(scene.shell('orders', 'echo $SECRET; exec sleep 100', more));
    await until('it runs', () => scene.read('logs/orders.log') === 'hunter2\n');
    expect(scene.read('keeper.json')).not.toContain('hunter2');
    await scene.killKeeper();
    const keeper = await scene.keeper();
    process.kill(child.pid, 'SIGKILL');
    await untilGone(child.pid);
    await until('it is back', () => scene.read('logs/orders.log') === 'hunter2\nhunter2\n');
    const back = await childNamed(keeper, 'orders');
    expect([back?.state, isAlive(back?.pid ?? 0)]).toEqual(['running', true]);
  });

  test.each([
    ['a backoff that is too long', { backoffMs: keeperLimits.restartBackoffMsMax + 1, most: 1 }],
    ['too many times', { backoffMs: 1, most: keeperLimits.restartsMax + 1 }],
  ])('is refused with %s', async (_, restart) => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const attempt = keeper.start(scene.shell('orders', 'true', { restart }));
    await expect(attempt).rejects.toMatchObject({ code: 'KEEPER_REQUEST_INVALID' });
  });
});
