import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { keeperLimits } from '../limits.ts';
import {
  childNamed,
  isAlive,
  Scene,
  stubborn,
  until,
  untilExited,
  untilGone,
} from '../scene.fixture.ts';
import type { KeeperState } from '../state-file.ts';
import { hasProc, readMark } from '../strays/processes.ts';

/** What a killed keeper left behind, changed. */
function rewriteState(scene: Scene, change: (state: KeeperState) => object): void {
  const state = JSON.parse(scene.read('keeper.json')) as KeeperState;
  writeFileSync(scene.path('keeper.json'), JSON.stringify({ ...state, ...change(state) }));
}

describe.runIf(hasProc).concurrent('recovery', () => {
  describe('a keeper whose directory', () => {
    test('is deleted stops, and stops its children', async () => {
      await using scene = new Scene();
      const keeper = await scene.keeper();
      const child = await keeper.start(scene.shell('orphan', stubborn));
      const { pid } = await keeper.ping();
      rmSync(scene.directory, { recursive: true });
      await untilGone(pid, child.pid);
    });

    test('is replaced leaves the next keeper and its files alone', async () => {
      await using scene = new Scene();
      const first = await scene.keeper();
      const old = await first.start(scene.shell('old', stubborn, { directory: '/' }));
      const { pid } = await first.ping();
      renameSync(scene.directory, `${scene.directory}-moved`);
      mkdirSync(scene.directory, { mode: 0o700 });
      const next = await scene.keeper();
      const child = await next.start(scene.shell('new', 'exec sleep 100'));
      await untilGone(pid, old.pid);
      const keeper = await scene.keeper();
      expect(await keeper.list()).toEqual([child]);
      expect(JSON.parse(scene.read('keeper.json')).children).toMatchObject([{ name: 'new' }]);
    });
  });

  // proves: keeper.recovery, keeper.strays
  describe('after kill -9 of the keeper, the next one', () => {
    test('adopts a child that still runs, and can stop it', async () => {
      await using scene = new Scene();
      const first = await scene.keeper();
      const leaseMs = 3_600_000;
      const child = await first.start(scene.shell('survivor', stubborn, { leaseMs }));
      await scene.killKeeper();
      const keeper = await scene.keeper();
      expect(await keeper.list()).toEqual([child]);
      expect(scene.logged('child-adopted')).toMatchObject([{ name: 'survivor', pid: child.pid }]);
      const again = keeper.start(scene.shell('survivor', stubborn));
      await expect(again).rejects.toMatchObject({ code: 'PROCESS_RUNNING' });
      expect(await keeper.stop('survivor')).toMatchObject({ code: null, reason: 'stopped' });
      expect(isAlive(child.pid)).toBe(false);
    });

    test('enforces the lease of an adopted child', async () => {
      await using scene = new Scene();
      const first = await scene.keeper();
      const { pid } = await first.start(scene.shell('leased', stubborn, { leaseMs: 60_000 }));
      await scene.killKeeper();
      const keeper = await scene.keeper();
      expect(isAlive(pid)).toBe(true);
      await keeper.renew('leased', 1);
      await untilGone(pid);
      expect((await untilExited(keeper, 'leased')).exit?.reason).toBe('lease-ended');
    });

    test.each([
      ['meanwhile', 0, 0],
      // The last keeper's clock counts, even if this machine's clock was set back since then.
      ['by the clock of the last keeper', 3_600_000, 1_800_000],
    ])(
      'ends a child whose lease ran out %s, with all its descendants',
      async (_, aheadMs, endMs) => {
        await using scene = new Scene();
        const first = await scene.keeper();
        const script = `setsid sleep 100 & echo $! > daemon.pid; ${stubborn}`;
        const { pid } = await first.start(scene.shell('expired', script, { leaseMs: 86_400_000 }));
        const daemon = await scene.pidIn('daemon.pid');
        await scene.killKeeper();
        expect([pid, daemon].every(isAlive)).toBe(true);
        rewriteState(scene, ({ children, savedAt }) => ({
          savedAt: savedAt + aheadMs,
          children: children.map((child) => ({ ...child, leaseEndsAt: savedAt + endMs })),
        }));
        const keeper = await scene.keeper();
        await untilGone(pid, daemon);
        expect((await untilExited(keeper, 'expired')).exit?.reason).toBe('lease-ended');
      },
    );

    test('notices when an adopted child exits, and kills its descendants', async () => {
      await using scene = new Scene();
      const first = await scene.keeper();
      const script =
        'setsid sleep 100 & echo $! > daemon.pid; sleep 100 & echo $! > member.pid; wait';
      const { pid } = await first.start(scene.shell('vanishing', script));
      const left = [await scene.pidIn('daemon.pid'), await scene.pidIn('member.pid')];
      await scene.killKeeper();
      const keeper = await scene.keeper();
      expect(await childNamed(keeper, 'vanishing')).toMatchObject({ state: 'running' });
      process.kill(pid, 'SIGKILL');
      const { exit } = await untilExited(keeper, 'vanishing');
      expect(exit).toMatchObject({ code: null, signal: null, reason: 'exited' });
      expect(left.filter(isAlive)).toEqual([]);
    });

    test('reports a child that ended in the meantime as lost, and kills its descendants', async () => {
      await using scene = new Scene();
      const first = await scene.keeper();
      const { pid } = await first.start(
        scene.shell('lost', 'setsid sleep 100 & echo $! > daemon.pid; exec sleep 100'),
      );
      const daemon = await scene.pidIn('daemon.pid');
      await scene.killKeeper();
      process.kill(pid, 'SIGKILL');
      await untilGone(pid);
      const keeper = await scene.keeper();
      expect(await childNamed(keeper, 'lost')).toMatchObject({
        state: 'exited',
        exit: { code: null, reason: 'lost' },
      });
      expect(isAlive(daemon)).toBe(false);
    });

    test('reports a child that waited for its restart as lost, so that somebody starts it', async () => {
      await using scene = new Scene();
      const first = await scene.keeper();
      const slow = { backoffMs: keeperLimits.restartBackoffMsMax, most: 3 };
      await first.start(scene.shell('waiting', 'exit 4', { restart: slow }));
      await until('it waits', async () => (await childNamed(first, 'waiting'))?.restartAt);
      await first.start(scene.shell('done', 'exit 4'));
      await untilExited(first, 'done');
      await scene.killKeeper();
      const keeper = await scene.keeper();
      expect(await childNamed(keeper, 'waiting')).toMatchObject({
        state: 'exited',
        restartAt: null,
        exit: { code: 4, reason: 'lost' },
      });
      expect((await childNamed(keeper, 'done'))?.exit?.reason).toBe('exited');
    });

    test('reports a child that ended with its machine as rebooted', async () => {
      await using scene = new Scene();
      const first = await scene.keeper();
      const { pid } = await first.start(scene.shell('orders', 'exec sleep 100'));
      await scene.killKeeper();
      process.kill(pid, 'SIGKILL');
      await untilGone(pid);
      rewriteState(scene, ({ boot }) => ({ boot: `${boot}0` }));
      const keeper = await scene.keeper();
      expect((await childNamed(keeper, 'orders'))?.exit?.reason).toBe('rebooted');
    });

    test('adopts a child of a keeper that knew only the boot of the machine', async () => {
      await using scene = new Scene();
      const first = await scene.keeper();
      const { pid } = await first.start(scene.shell('older', 'exec sleep 100'));
      await scene.killKeeper();
      rewriteState(scene, ({ boot }) => ({ boot: boot.replace(/-\d+$/, '') }));
      const keeper = await scene.keeper();
      expect(await childNamed(keeper, 'older')).toMatchObject({ state: 'running', pid });
    });

    test('spares an unrelated process that was given the pid of a child', async () => {
      await using scene = new Scene();
      const first = await scene.keeper();
      const child = await first.start(scene.shell('reused', 'exec sleep 100'));
      await scene.killKeeper();
      await using stranger = new Scene();
      const other = await stranger.keeper();
      const { pid } = await other.start(stranger.shell('stranger', 'exec sleep 100'));
      // As if the pid had been given away: the record now points to somebody else's process.
      rewriteState(scene, ({ children }) => ({ children: children.map((it) => ({ ...it, pid })) }));
      const keeper = await scene.keeper();
      expect((await childNamed(keeper, 'reused'))?.exit?.reason).toBe('lost');
      // Belongs to no record any more.
      expect(isAlive(child.pid)).toBe(false);
      await keeper.shutdown();
      expect(isAlive(pid)).toBe(true);
    });

    test('kills an unknown process with its mark, and spares the marks of other keepers', async () => {
      await using scene = new Scene();
      await using other = new Scene();
      const stray = scene.stray('ghost');
      const foreign = other.stray('foreign');
      await until('both are there', () => readMark(stray) && readMark(foreign));
      await scene.keeper();
      expect(isAlive(stray)).toBe(false);
      expect(scene.logged('stray-found')).toMatchObject([{ name: 'ghost', pid: stray }]);
      expect(isAlive(foreign)).toBe(true);
      process.kill(foreign, 'SIGKILL');
      await untilGone(foreign);
    });

    test('remembers the children that had exited before', async () => {
      await using scene = new Scene();
      const first = await scene.keeper();
      await first.start(scene.shell('done', 'exit 4'));
      const done = await untilExited(first, 'done');
      await scene.killKeeper();
      const keeper = await scene.keeper();
      expect(await keeper.list()).toEqual([done]);
      expect(await keeper.stop('done')).toEqual(done.exit);
      await expect(keeper.renew('done', 5)).rejects.toMatchObject({
        code: 'KEEPER_REQUEST_INVALID',
      });
    });

    test('moves an unreadable state file aside, and kills the children that it does not know', async () => {
      await using scene = new Scene();
      const first = await scene.keeper();
      const { pid } = await first.start(scene.shell('unknown', stubborn));
      await scene.killKeeper();
      writeFileSync(scene.path('keeper.json'), '{"children": [{"na');
      const keeper = await scene.keeper();
      expect(isAlive(pid)).toBe(false);
      expect(await keeper.list()).toEqual([]);
      expect(scene.read('keeper.json.broken-1')).toBe('{"children": [{"na');
      expect(scene.logged('state-broken')).toHaveLength(1);
    });
  });

  describe('without its keeper, a child', () => {
    test('keeps writing to its log', async () => {
      await using scene = new Scene();
      const first = await scene.keeper();
      const { pid } = await first.start(
        scene.shell(
          'writer',
          'for turn in $(seq 5000); do echo out; echo err >&2; sleep 0.01; done',
        ),
      );
      const size = () => statSync(scene.path('logs/writer.log')).size;
      await scene.killKeeper();
      const before = size();
      await until('its log has grown', () => size() > before + 100);
      expect(isAlive(pid)).toBe(true);
      const keeper = await scene.keeper();
      expect((await keeper.stop('writer')).reason).toBe('stopped');
    });
  });
});
