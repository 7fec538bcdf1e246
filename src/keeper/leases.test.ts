import { describe, expect, test } from 'vitest';
import { childNamed, isAlive, Scene, stubborn, untilExited, untilGone } from './scene.fixture.ts';
import { hasProc } from './strays/processes.ts';

describe.runIf(hasProc).concurrent('a lease', () => {
  // proves: keeper.lease
  test('kills the child and its descendants when it expires, without any client connected', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const { pid } = await keeper.start(
      scene.shell('leased', `setsid sleep 100 & echo $! > daemon.pid; ${stubborn}`, {
        leaseMs: 60_000,
      }),
    );
    const daemon = await scene.pidIn('daemon.pid');
    await keeper.renew('leased', 300);
    keeper.close();
    await untilGone(pid, daemon);
    const { exit } = await untilExited(await scene.keeper(), 'leased');
    expect(exit?.reason).toBe('lease-ended');
  });

  test('lasts longer when it is renewed', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const first = await keeper.start(scene.shell('leased', 'exec sleep 100', { leaseMs: 3_000 }));
    const second = await keeper.renew('leased', 60_000);
    expect(second.leaseEndsAt).toBeGreaterThan(first.leaseEndsAt as number);
    // The same lease, taken later: when it is over, so would be the one that was renewed.
    await keeper.start(scene.shell('marker', 'exec sleep 100', { leaseMs: 3_000 }));
    await untilExited(keeper, 'marker');
    expect(await childNamed(keeper, 'leased')).toEqual(second);
    expect(isAlive(second.pid)).toBe(true);
  });

  test('can be renewed to end sooner, or never', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    for (const name of ['sooner', 'never']) {
      await keeper.start(scene.shell(name, 'exec sleep 100', { leaseMs: 60_000 }));
    }
    expect(await keeper.renew('never', null)).toMatchObject({ leaseEndsAt: null });
    await keeper.renew('sooner', 1);
    expect(await untilExited(keeper, 'sooner')).toMatchObject({ exit: { reason: 'lease-ended' } });
  });

  test('cannot be renewed after its end', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    await keeper.start(scene.shell('late', stubborn, { leaseMs: 1 }));
    await expect(keeper.renew('late', 60_000)).rejects.toMatchObject({
      code: 'KEEPER_REQUEST_INVALID',
      message: expect.stringContaining('late has ended, or is ending'),
    });
    await untilExited(keeper, 'late');
  });

  test('expires for many children in one sweep', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const names = Array.from({ length: 40 }, (_, number) => `many-${number}`);
    const children = await Promise.all(
      names.map((name) => keeper.start(scene.shell(name, stubborn, { leaseMs: 200 }))),
    );
    await untilGone(...children.map(({ pid }) => pid));
    for (const name of names) {
      expect((await untilExited(keeper, name)).exit?.reason).toBe('lease-ended');
    }
  });
});
