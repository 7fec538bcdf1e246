import { expect, test } from 'vitest';
import type { Lane } from '../../lanes/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { laneLogs, markLogs, readSince } from './lane-logs.ts';

const laneOf = (...candidates: object[]): Lane => ({ lane: 'lane_1', candidates }) as never;
const changed = laneOf({ service: 'pricing', name: 'lane_1.pricing' });
const services = ['orders', 'pricing'];

/** Logs that only grow, as those on a disk. */
function growingLogs(logs: Record<string, string[]>) {
  return {
    readLog: async (
      log: string,
      { lines, after = 0 }: { lines: number; after?: number | undefined },
    ) => ({
      lines: lines === 0 ? [] : (logs[log] ?? []).slice(after).slice(-lines),
      isCut: (logs[log] ?? []).slice(after).length > lines,
      next: logs[log]?.length ?? 0,
    }),
  };
}

test('reads every new line of a changed service, and lines of others that name a request', async () => {
  const texts: Record<string, string[]> = { orders: ['old req-12345678'], 'lane_1.pricing': [] };
  const host = growingLogs(texts);
  const logs = laneLogs(changed, services, changed);
  const marks = await markLogs(logs, host);
  texts.orders?.push('failed req-12345678', 'failed req-other', 'short id a');
  texts['lane_1.pricing']?.push('crashed');
  const hops = [
    hop({ requestId: 'req-12345678' }),
    hop({ requestId: 'a' }),
    hop({ requestId: null }),
  ];
  expect(await readSince(marks, logs, hops, host)).toEqual({
    lines: [
      { service: 'orders', text: 'failed req-12345678' },
      { service: 'pricing', text: 'crashed' },
    ],
    dropped: [],
  });
  for (const log of ['orders', 'lane_1.pricing']) texts[log]?.push(...Array(2_000).fill('chat'));
  expect((await readSince(marks, logs, hops, host)).dropped).toEqual(['lines of pricing']);
});

test('reads the control in the log of the baseline if it has no copy of the service', () => {
  expect(laneLogs(laneOf(), services, changed)).toEqual([
    { service: 'orders', log: 'orders', isWhole: false },
    { service: 'pricing', log: 'pricing', isWhole: true },
  ]);
});
