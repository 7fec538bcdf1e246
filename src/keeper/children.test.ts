import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sharedLimits } from '../kernel/index.ts';
import { keeperIdentifier } from './children/mark.ts';
import type { StartParams } from './protocol/protocol.ts';
import { isAlive, onTerm, Scene, stubborn, until, untilExited } from './scene.fixture.ts';
import { hasProc, listMarked, readStat } from './strays/processes.ts';

/** A grandchild in a session of its own: no signal to the group reaches it. */
const withDaemon = 'setsid sleep 100 & echo $! > daemon.pid; exec sleep 100';

describe.runIf(hasProc).concurrent('a child', () => {
  // The longest first: the others run beside it.
  test('has its log cut while it writes', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const bytes = sharedLimits.logFileBytesMax + 1;
    const script = `head -c ${bytes} /dev/zero | tr '\\0' '\\n'; for turn in $(seq 2000); do echo tick; sleep 0.05; done`;
    await keeper.start(scene.shell('chatty', script));
    await until('it was cut', () => scene.logged('log-trimmed').length > 0);
    const { size } = statSync(scene.path('logs/chatty.log'));
    expect(size).toBeLessThan(sharedLimits.logFileBytesMax);
    await until('it grows again', () => statSync(scene.path('logs/chatty.log')).size > size);
    expect(scene.read('logs/chatty.log').endsWith('tick\n')).toBe(true);
  });

  test('runs in the given directory, with the given environment and the mark', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const environment = { PATH: process.env.PATH ?? '', COLOR: 'red', SURETY_MARK: 'forged' };
    const script = 'pwd; echo "$COLOR $SURETY_MARK"; echo oops >&2; env | wc -l; exec sleep 100';
    const child = await keeper.start(scene.shell('orders', script, { environment }));
    const log = await until(
      'all is written',
      () => scene.read('logs/orders.log').match(/\d+\n$/)?.input,
    );
    const mark = `${keeperIdentifier(scene.directory)}/orders/${child.instance}`;
    // PATH, COLOR, the mark, and the PWD that sh adds: nothing of the keeper's own.
    expect(log).toBe(`${scene.directory}\nred ${mark}\noops\n4\n`);
    expect(child).toMatchObject({
      name: 'orders',
      state: 'running',
      leaseEndsAt: null,
      exit: null,
    });
    expect(child.startTicks).toBe(readStat(child.pid)?.startTicks);
    expect(statSync(scene.path('logs/orders.log')).mode & 0o077).toBe(0);
    expect(await keeper.list()).toEqual([child]);
  });

  test('is remembered after its exit until it is forgotten', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    await keeper.start(scene.shell('short', 'exit 3'));
    const { exit } = await untilExited(keeper, 'short');
    expect(exit).toMatchObject({ code: 3, signal: null, reason: 'exited' });
    expect(await keeper.stop('short')).toEqual(exit);
    await keeper.forget('short');
    expect(await keeper.list()).toEqual([]);
    await keeper.forget('short');
  });

  test('that another program kills is reported with the signal', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const { pid } = await keeper.start(scene.shell('victim', 'exec sleep 100'));
    process.kill(pid, 'SIGKILL');
    const { exit } = await untilExited(keeper, 'victim');
    expect(exit).toMatchObject({ code: null, signal: 'SIGKILL', reason: 'exited' });
  });

  test('that obeys SIGTERM is stopped by it', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    await scene.startReady(keeper, scene.shell('polite', onTerm('exit 7')));
    expect(await keeper.stop('polite')).toMatchObject({ code: 7, signal: null, reason: 'stopped' });
  });

  test('that ignores SIGTERM is killed', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const { pid } = await scene.startReady(keeper, scene.shell('stubborn', stubborn));
    const exits = await Promise.all([keeper.stop('stubborn'), keeper.stop('stubborn')]);
    expect(exits[0]).toMatchObject({ signal: 'SIGKILL', reason: 'stopped' });
    expect(exits[1]).toEqual(exits[0]);
    expect(isAlive(pid)).toBe(false);
  });

  test('gives its process group the grace period, also when its leader exits at once', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const member = onTerm('sleep 0.05; echo saved; exit');
    await scene.startReady(keeper, scene.shell('leader', `(${member}) & wait`));
    await keeper.stop('leader');
    expect(scene.read('logs/leader.log')).toContain('saved\n');
  });

  // proves: keeper.descendants
  test('that is stopped takes its detached grandchildren along', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const { pid } = await keeper.start(scene.shell('parent', withDaemon));
    const daemon = await scene.pidIn('daemon.pid');
    await keeper.stop('parent');
    expect([pid, daemon].filter(isAlive)).toEqual([]);
  });

  test('that exits by itself takes its descendants along', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const script = 'setsid sleep 100 & echo $! > daemon.pid; sleep 100 & echo $! > member.pid';
    await keeper.start(scene.shell('parent', script));
    await untilExited(keeper, 'parent');
    const left = [await scene.pidIn('daemon.pid'), await scene.pidIn('member.pid')];
    expect(left.filter(isAlive)).toEqual([]);
  });

  test('that keeps forking during a sweep is killed completely', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const breed = 'for child in $(seq 500); do setsid sleep 100 & done';
    await keeper.start(scene.shell('breeder', `setsid sh -c '${breed}' & exec sleep 100`));
    await until('there are some', () => listMarked(scene.keeperId).length > 10);
    await keeper.stop('breeder');
    expect(listMarked(scene.keeperId)).toEqual([]);
  });

  test('can be started again under its name after it exited', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const first = await keeper.start(scene.shell('again', 'exit 0'));
    await untilExited(keeper, 'again');
    const second = await keeper.start(scene.shell('again', 'exec sleep 100'));
    expect(second.instance).not.toBe(first.instance);
    expect(await keeper.list()).toEqual([second]);
  });

  test('cannot be started twice, not even at the same moment', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const attempts = [1, 2, 3].map(() => keeper.start(scene.shell('one', 'exec sleep 100')));
    const results = await Promise.allSettled(attempts);
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }) => reason.code)).toEqual(Array(2).fill('PROCESS_RUNNING'));
    expect(refused[0]?.reason.message).toContain('"one" is already running with pid');
    expect(listMarked(scene.keeperId)).toHaveLength(1);
  });

  test('does not start, and leaves no record, when a requirement is missing', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const wrong: readonly [Partial<StartParams>, reason: string][] = [
      [{ command: ['/nonesuch'] }, 'ENOENT'],
      [{ command: ['/etc/passwd'] }, 'EACCES'],
      [{ directory: '/nonesuch' }, 'there is no directory /nonesuch'],
      [{ logFile: '/tmp' }, '/tmp is not a regular file'],
      [{ logFile: '/dev/null/a.log' }, '/dev/null'],
    ];
    for (const [more, reason] of wrong) {
      const attempt = keeper.start(scene.shell('wrong', 'true', more));
      await expect(attempt).rejects.toMatchObject({
        code: 'PROCESS_START_FAILED',
        message: expect.stringContaining(reason),
      });
    }
    expect(await keeper.list()).toEqual([]);
  });

  test('cannot be stopped or renewed when it is unknown, or forgotten while it runs', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    await keeper.start(scene.shell('here', 'exec sleep 100'));
    const refused = { code: 'KEEPER_REQUEST_INVALID' };
    await expect(keeper.stop('nobody')).rejects.toMatchObject(refused);
    await expect(keeper.renew('nobody', 5)).rejects.toMatchObject(refused);
    await expect(keeper.forget('here')).rejects.toMatchObject(refused);
  });
});
