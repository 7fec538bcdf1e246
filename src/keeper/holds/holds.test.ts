import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keeperLimits } from '../limits.ts';
import type { Keeper } from '../protocol/client.ts';
import { childNamed, isAlive, Scene, stubborn, until, untilGone } from '../scene.fixture.ts';
import { hasProc } from '../strays/processes.ts';
import { runCommand } from './holds.ts';

/** A child that has a stubborn self and a descendant that no signal to its group reaches. */
const family = `setsid sleep 100 & echo $! > daemon.pid; ${stubborn}`;

function makeTree(scene: Scene, name: string): string {
  const tree = join(scene.directory, 'trees', name);
  mkdirSync(join(tree, 'deep'), { recursive: true });
  writeFileSync(join(tree, 'deep', 'file'), 'x');
  return tree;
}

async function held(keeper: Keeper): Promise<string[]> {
  return (await keeper.holds()).map(({ name }) => name);
}

describe.runIf(hasProc).concurrent('a hold', () => {
  test('ends its processes, removes its directories and runs its command when it expires', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const remove = [makeTree(scene, 'lane_1')];
    const command = ['touch', scene.path('dropped')];
    await keeper.hold({ name: 'lane_1', leaseMs: 60_000, remove, command });
    const under = { hold: 'lane_1', leaseMs: 60_000 };
    const { pid } = await keeper.start(scene.shell('lane_1.back', family, under));
    const other = await keeper.start(scene.shell('lane_2.back', 'exec sleep 100'));
    const daemon = await scene.pidIn('daemon.pid');
    await keeper.hold({ name: 'lane_1', leaseMs: 1, remove, command });
    keeper.close();
    await untilGone(pid, daemon);
    await until('the rest is gone too', () => existsSync(scene.path('dropped')));
    const again = await scene.keeper();
    await until('it is forgotten', async () => (await held(again)).length === 0);
    expect(existsSync(remove[0] as string)).toBe(false);
    expect(await childNamed(again, 'lane_1.back')).toBeUndefined();
    expect(isAlive(other.pid)).toBe(true);
  });

  test('kills a descendant that hides its origin, and spares visitors in its directory', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const tree = makeTree(scene, 'lane_1');
    await keeper.hold({ name: 'lane_1', leaseMs: 60_000, remove: [tree] });
    const bare = `env -i setsid /bin/sh -c 'echo $$ > ${scene.path('bare.pid')}; exec sleep 100'`;
    const script = `cd ${tree}/deep; ${bare} & exec sleep 100`;
    await keeper.start(scene.shell('lane_1.back', script, { hold: 'lane_1', leaseMs: 60_000 }));
    const visitor = spawn('sleep', ['100'], { cwd: tree, stdio: 'ignore' });
    try {
      const pid = await scene.pidIn('bare.pid');
      await keeper.release('lane_1');
      expect([isAlive(pid), isAlive(visitor.pid as number)]).toEqual([false, true]);
    } finally {
      visitor.kill('SIGKILL');
    }
  });

  test('that expires while no keeper runs is ended by the next keeper', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const remove = [makeTree(scene, 'lane_1')];
    await keeper.hold({ name: 'lane_1', leaseMs: 60_000, remove });
    const { pid } = await keeper.start(
      scene.shell('lane_1.back', 'exec sleep 100', { leaseMs: null, hold: 'lane_1' }),
    );
    await keeper.hold({ name: 'lane_1', leaseMs: 300, remove });
    await scene.killKeeper();
    const next = await scene.keeper();
    await untilGone(pid);
    await until('it is forgotten', async () => (await held(next)).length === 0);
    expect(existsSync(remove[0] as string)).toBe(false);
  });

  test('ends later, with all its children, when it is placed again', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const first = await keeper.hold({ name: 'lane_1', leaseMs: 30_000 });
    const under = scene.shell('lane_1.back', 'exec sleep 100', { leaseMs: 1, hold: 'lane_1' });
    expect((await keeper.start(under)).leaseEndsAt).toBe(first.leaseEndsAt);
    const second = await keeper.hold({ name: 'lane_1', leaseMs: 60_000 });
    expect(second.leaseEndsAt).toBeGreaterThan(first.leaseEndsAt);
    const notAfter = second.leaseEndsAt + 1;
    const third = await keeper.hold({ name: 'lane_1', leaseMs: 120_000, notAfter });
    expect(third.leaseEndsAt).toBe(notAfter);
    expect((await childNamed(keeper, 'lane_1.back'))?.leaseEndsAt).toBe(notAfter);
  });

  test('that is released removes everything but does not run its command', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const remove = [makeTree(scene, 'lane_1')];
    const command = ['touch', scene.path('dropped')];
    await keeper.hold({ name: 'lane_1', leaseMs: 60_000, remove, command });
    const under = { hold: 'lane_1' };
    const { pid } = await keeper.start(scene.shell('lane_1.back', family, under));
    const daemon = await scene.pidIn('daemon.pid');
    await keeper.release('lane_1');
    expect([pid, daemon].filter(isAlive)).toEqual([]);
    expect([existsSync(remove[0] as string), existsSync(scene.path('dropped'))]).toEqual([
      false,
      false,
    ]);
    expect(await held(keeper)).toEqual([]);
    await keeper.release('lane_1');
    const longer = keeper.hold({ name: 'lane_1', leaseMs: 60_000, again: true });
    await expect(longer).rejects.toThrow('there is no hold lane_1');
    const late = keeper.start(scene.shell('lane_1.late', 'exec sleep 100', under));
    await expect(late).rejects.toThrow('there is no hold lane_1');
  });

  test('retries a failing command until it succeeds', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const script = `test -e ${scene.path('ready')} && touch ${scene.path('dropped')}`;
    await keeper.hold({ name: 'lane_1', leaseMs: 1, command: ['sh', '-c', script] });
    await until('it failed', () => scene.logged('hold-not-ended').length > 0);
    expect(await held(keeper)).toEqual(['lane_1']);
    writeFileSync(scene.path('ready'), '');
    await until('it is done', () => existsSync(scene.path('dropped')));
    await until('it is forgotten', async () => (await held(keeper)).length === 0);
  });

  test('ends when its keeper is shut down', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const remove = [makeTree(scene, 'lane_1')];
    await keeper.hold({ name: 'lane_1', leaseMs: 60_000, remove });
    await keeper.start(scene.shell('lane_1.back', 'exec sleep 100', { hold: 'lane_1' }));
    await keeper.shutdown();
    expect(existsSync(remove[0] as string)).toBe(false);
  });
});

test(`the command of a hold is killed after ${keeperLimits.holdCommandMsMax} ms`, async () => {
  await runCommand(['true'], keeperLimits.holdCommandMsMax);
  await expect(runCommand(['sleep', '100'], 50)).rejects.toThrow('SIGKILL');
  await expect(runCommand(['false'])).rejects.toThrow('ended with 1');
  await expect(runCommand(['/no/such/program'])).rejects.toThrow('ENOENT');
});
