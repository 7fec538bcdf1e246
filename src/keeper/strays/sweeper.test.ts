import { describe, expect, test } from 'vitest';
import { isAlive, Scene, until, untilGone } from '../scene.fixture.ts';
import { hasProc, listMarked, type MarkedProcess } from './processes.ts';
import { createSweeper } from './sweeper.ts';

function quiet(): void {}

describe.runIf(hasProc).concurrent('a sweep', () => {
  test('finds a process that is hidden at first, for example while it loads its program', async () => {
    await using scene = new Scene();
    const pid = scene.stray('hidden');
    await until('it is there', () => listMarked(scene.keeperId).length === 1);
    const instance = listMarked(scene.keeperId)[0]?.mark.instance as string;
    let looks = 0;
    const list = () => (looks++ === 0 ? [] : listMarked(scene.keeperId));
    await createSweeper(list, quiet).clear(instance);
    expect(isAlive(pid)).toBe(false);
  });

  test('kills only processes with the requested mark', async () => {
    await using scene = new Scene();
    const [swept, spared] = [scene.stray('swept'), scene.stray('spared')];
    const found = await until('both are there', () => {
      const marked = listMarked(scene.keeperId);
      return marked.length === 2 ? marked.find(({ pid }) => pid === swept) : null;
    });
    const sweeper = createSweeper(() => listMarked(scene.keeperId), quiet);
    await sweeper.clear(found.mark.instance);
    expect([swept, spared].map(isAlive)).toEqual([false, true]);
    process.kill(spared, 'SIGKILL');
    await untilGone(spared);
  });

  test('gives up on a process that cannot be killed, and reports it', async () => {
    // A pid beyond any: seen on every look, and no signal ever reaches it.
    const mark = { keeper: '0'.repeat(16), name: 'stuck', instance: '1'.repeat(16) };
    const stuck: MarkedProcess = { pid: 2 ** 30, mark };
    const events: string[] = [];
    const log = (_level: string, event: string) => void events.push(event);
    const sweeper = createSweeper(() => [stuck], log);
    await Promise.all([sweeper.clear(mark.instance), sweeper.clear(mark.instance)]);
    expect(events).toEqual(['process-resists']);
  });
});
