import { afterEach, describe, expect, test, vi } from 'vitest';
import { mcpLimits } from '../../limits.ts';
import { EventBudget, RecentEvents } from './recent-events.ts';

const message = (text: string) =>
  ({ jsonrpc: '2.0', method: 'notifications/message', params: { data: text } }) as const;

async function missed(events: RecentEvents, after: string): Promise<string[]> {
  const ids: string[] = [];
  await events.replayEventsAfter(after, { send: async (id) => void ids.push(id) });
  return ids;
}

afterEach(() => void vi.useRealTimers());

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

  /** Of that size as JSON. */
  const sized = (bytes: number) => message('x'.repeat(bytes - JSON.stringify(message('')).length));

  test.each([
    [mcpLimits.agentEventBytesMax, 'a'],
    [mcpLimits.agentEventBytesMax + 1, undefined],
  ])(
    'limits.agentEventBytesMax: of %i bytes in two sessions the first is on %s',
    async (all, on) => {
      const budget = new EventBudget();
      const [one, other] = [new RecentEvents(budget), new RecentEvents(budget)];
      const half = mcpLimits.agentEventBytesMax / 2;
      const first = await one.storeEvent('a', sized(half));
      const second = await other.storeEvent('b', sized(all - half));
      expect(await one.getStreamIdForEventId(first)).toBe(on);
      expect(await other.getStreamIdForEventId(second)).toBe('b');
    },
  );

  test('limits.agentEventBytesMax: counts nothing of a session that has ended', async () => {
    const budget = new EventBudget();
    const [one, other, ended] = [budget, budget, budget].map((all) => new RecentEvents(all));
    const half = mcpLimits.agentEventBytesMax / 2;
    const first = await one?.storeEvent('a', sized(half));
    await ended?.storeEvent('a', sized(half));
    ended?.clear();
    await other?.storeEvent('a', sized(half));
    expect(await one?.getStreamIdForEventId(String(first))).toBe('a');
  });

  test('limits.agentEventMsMax: is forgotten then, and not before', async () => {
    vi.useFakeTimers();
    const events = new RecentEvents();
    const first = await events.storeEvent('a', message('1'));
    await vi.advanceTimersByTimeAsync(1_000);
    const second = await events.storeEvent('a', message('2'));
    const kept = () => Promise.all([first, second].map((id) => events.getStreamIdForEventId(id)));
    await vi.advanceTimersByTimeAsync(mcpLimits.agentEventMsMax - 1_001);
    expect(await kept()).toEqual(['a', 'a']);
    await vi.advanceTimersByTimeAsync(1);
    expect(await kept()).toEqual([undefined, 'a']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await kept()).toEqual([undefined, undefined]);
  });
});
