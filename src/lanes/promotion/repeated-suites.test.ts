import { expect, test, vi } from 'vitest';
import { RepeatedSuites, type RepeatSuites } from './repeated-suites.ts';
import type { WatchRow } from './watched-promotion.ts';

const watched = { commit: 'c1', since: 1 } as WatchRow;

test('suites that cannot run are run once more, and fail the promotion the second time', async () => {
  const repeat = vi.fn<RepeatSuites>(async () => {
    throw new Error('no process left');
  });
  const suites = new RepeatedSuites(repeat);
  const failed = { failed: 'the suites could not be run again: no process left' };
  await expect.poll(() => suites.look(watched, true)).toEqual(failed);
  expect(repeat).toHaveBeenCalledTimes(2);
});
