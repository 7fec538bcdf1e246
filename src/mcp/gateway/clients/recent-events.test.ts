import { describe, expect, test } from 'vitest';
import { mcpLimits } from '../../limits.ts';
import { RecentEvents } from './recent-events.ts';

const message = (text: string) =>
  ({ jsonrpc: '2.0', method: 'notifications/message', params: { data: text } }) as const;

async function missed(events: RecentEvents, after: string): Promise<string[]> {
  const ids: string[] = [];
  await events.replayEventsAfter(after, { send: async (id) => void ids.push(id) });
  return ids;
}

describe('what a session has sent last', () => {
  test('is sent again to a client that comes back, of its own stream', async () => {
    const events = new RecentEvents();
    const primed = await events.storeEvent('a', {} as never);
    await events.storeEvent('b', message('other'));
    const result = await events.storeEvent('a', message('own'));
    expect(await events.getStreamIdForEventId(primed)).toBe('a');
    expect(await missed(events, primed)).toEqual([result]);
    expect(await missed(events, result)).toEqual([]);
  });

  test.each([
    [mcpLimits.sessionEventsMax, true],
    [mcpLimits.sessionEventsMax + 1, false],
  ])('limits.sessionEventsMax: of %i the first is kept: %s', async (count, isKept) => {
    const events = new RecentEvents();
    const first = await events.storeEvent('a', message('1'));
    for (let sent = 1; sent < count; sent++) await events.storeEvent('a', message('x'));
    expect((await events.getStreamIdForEventId(first)) !== undefined).toBe(isKept);
  });

  test('limits.sessionEventBytesMax: the newest is kept whatever its size', async () => {
    const events = new RecentEvents();
    const half = 'x'.repeat(mcpLimits.sessionEventBytesMax / 2 - 100);
    const first = await events.storeEvent('a', message(half));
    await events.storeEvent('a', message(half));
    expect(await events.getStreamIdForEventId(first)).toBe('a');
    const large = await events.storeEvent('a', message(half + half + half));
    expect(await events.getStreamIdForEventId(first)).toBe(undefined);
    expect(await events.getStreamIdForEventId(large)).toBe('a');
  });
});
