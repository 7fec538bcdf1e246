import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Notice } from '../../gate/index.ts';
import { systemLimits } from '../../system/limits.ts';
import { NoticeQueue } from './notice-queue.ts';

/** A queue whose notices are told when the test says so. */
function openQueue() {
  const sent: string[] = [];
  const leftOut: number[] = [];
  const ends: (() => void)[] = [];
  const queue = new NoticeQueue({
    tell: ({ facts }) => {
      sent.push(String(facts.proposal));
      return new Promise((resolve) => ends.push(resolve));
    },
    leftOut: async (count) => {
      leftOut.push(count);
    },
  });
  const endFirst = async (): Promise<void> => {
    ends.shift()?.();
    await turn();
  };
  return { queue, sent, leftOut, endFirst };
}

const notice = (name: number): Notice => ({
  event: 'proposal-held',
  facts: { proposal: `p${name}` },
});

function addMany(queue: NoticeQueue, count: number): void {
  for (let name = 0; name < count; name++) queue.add(notice(name));
}

describe('notices for one receiver', () => {
  test('are sent a few at once, and the next one when one is done', async () => {
    const { queue, sent, endFirst } = openQueue();
    addMany(queue, systemLimits.notificationsMax);
    expect(sent.length).toBe(systemLimits.notificationsMax);
    queue.add(notice(systemLimits.notificationsMax));
    expect(sent.length).toBe(systemLimits.notificationsMax);
    await endFirst();
    expect(sent.at(-1)).toBe(`p${systemLimits.notificationsMax}`);
  });

  test('wait up to a limit, beyond which they are counted as dropped', async () => {
    const { queue, sent, leftOut, endFirst } = openQueue();
    const kept = systemLimits.notificationsMax + systemLimits.notificationsQueuedMax;
    addMany(queue, kept);
    await endFirst();
    expect(leftOut).toEqual([]);
    queue.add(notice(kept));
    for (const more of [1, 2, 3]) queue.add(notice(kept + more));
    // It waits already: nothing is left out.
    queue.add(notice(kept));
    await endFirst();
    expect(leftOut).toEqual([3]);
    for (let sent = 0; sent < kept; sent++) await endFirst();
    expect([sent.length, new Set(sent).size, leftOut]).toEqual([kept + 1, kept + 1, [3]]);
  });

  test('with the same content are sent once while they wait', async () => {
    const { queue, sent, endFirst } = openQueue();
    addMany(queue, systemLimits.notificationsMax);
    for (let times = 0; times < 5; times++) queue.add(notice(99));
    for (let sent = 0; sent < systemLimits.notificationsMax + 1; sent++) await endFirst();
    expect(sent.filter((name) => name === 'p99')).toEqual(['p99']);
    queue.add(notice(99));
    expect(sent.filter((name) => name === 'p99').length).toBe(2);
  });
});
