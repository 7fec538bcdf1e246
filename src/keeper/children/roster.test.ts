import { describe, expect, test } from 'vitest';
import { keeperLimits } from '../limits.ts';
import { childNamed, Scene, untilExited } from '../scene.fixture.ts';
import { hasProc, listMarked, readMark } from '../strays/processes.ts';

describe.runIf(hasProc)('the number of children', () => {
  test('is limited, and the oldest exited children make room first', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    await keeper.start(scene.shell('old', 'exit 0'));
    await untilExited(keeper, 'old');
    const sleep = { command: ['sleep', '100'], logFile: scene.path('logs/all.log') };
    const names = Array.from(
      { length: keeperLimits.keeperChildrenMax },
      (_, number) => `n${number}`,
    );
    await Promise.all(names.map((name) => keeper.start(scene.shell(name, '', sleep))));
    expect((await keeper.list()).map(({ name }) => name)).toEqual(names);
    const oneMore = keeper.start(scene.shell('one-more', '', sleep));
    await expect(oneMore).rejects.toMatchObject({ code: 'KEEPER_FULL' });
    await keeper.stop('n0');
    await keeper.start(scene.shell('one-more', '', sleep));
    expect(readMark((await childNamed(keeper, 'one-more'))?.pid as number)?.name).toBe('one-more');
    expect(await childNamed(keeper, 'n0')).toBeUndefined();
    // All at once: leaving the scene would take them one by one.
    await Promise.all(['one-more', ...names.slice(1)].map((name) => keeper.stop(name)));
    expect(listMarked(scene.keeperId)).toEqual([]);
  });
});
