import { describe, expect, test } from 'vitest';
import { mcpLimits } from '../../limits.ts';
import { Traffic } from './traffic.ts';

const notification = { jsonrpc: '2.0', method: 'notifications/message' } as const;
const request = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
const answer = { jsonrpc: '2.0', id: 1, result: {} } as const;

function watched() {
  const reasons: string[] = [];
  const lines: string[] = [];
  const clock = { now: 0 };
  const events = {
    onCutOff: (reason: string) => void reasons.push(reason),
    onErrorLine: (line: string) => void lines.push(line),
  };
  return { traffic: new Traffic(events, () => clock.now), reasons, lines, clock };
}

describe('the budget of a server', () => {
  test('limits.upstreamUnaskedPerMinuteMax: so many messages are read, one more cuts it off', () => {
    const { traffic, reasons, clock } = watched();
    for (let sent = 0; sent < mcpLimits.upstreamUnaskedPerMinuteMax; sent++) {
      expect(traffic.admits(notification, '{}', false)).toBe(true);
    }
    expect(reasons).toEqual([]);
    expect(traffic.admits(notification, '{}', false)).toBe(false);
    expect(reasons).toEqual(['it sent more than 6000 messages in a minute']);
    clock.now = 60_000;
    expect(traffic.admits(notification, '{}', false)).toBe(true);
  });

  test('limits.upstreamRequestsPerMinuteMax: of requests it has fewer', () => {
    const { traffic, reasons } = watched();
    for (let sent = 0; sent < mcpLimits.upstreamRequestsPerMinuteMax; sent++) {
      expect(traffic.admits(request, '{}', false)).toBe(true);
    }
    expect(traffic.admits(request, '{}', false)).toBe(false);
    expect(reasons).toEqual(['it sent more than 600 requests in a minute']);
  });

  test('limits.upstreamUnaskedBytesPerMinuteMax: bounds their size', () => {
    const { traffic, reasons } = watched();
    expect(traffic.count('notification', mcpLimits.upstreamUnaskedBytesPerMinuteMax)).toBe(true);
    expect(traffic.count('notification', 1)).toBe(false);
    expect(reasons).toEqual(['it sent more than 16777216 bytes in a minute without being asked']);
  });

  test('limits.upstreamHeldBytesMax: bounds what has not ended', () => {
    const { traffic, reasons } = watched();
    const [one, other] = [traffic.holder(), traffic.holder()];
    one(mcpLimits.upstreamHeldBytesMax - 1);
    other(1);
    expect(reasons).toEqual([]);
    other(2);
    expect(reasons).toEqual(['it has 67108864 bytes of unfinished messages']);
  });

  test('limits.upstreamErrorBytesPerMinuteMax: bounds what is logged, and cuts nobody off', () => {
    const { traffic, reasons, lines } = watched();
    traffic.said('x'.repeat(mcpLimits.upstreamErrorBytesPerMinuteMax));
    traffic.said('y');
    expect(lines).toHaveLength(1);
    expect(reasons).toEqual([]);
  });

  test('limits.upstreamQuestionsMax: bounds its open requests', async () => {
    const { traffic } = watched();
    const open = Promise.withResolvers<void>();
    const ask = (): Promise<void> => traffic.ask(() => open.promise);
    const asked = Array.from({ length: mcpLimits.upstreamQuestionsMax }, ask);
    await expect(ask()).rejects.toThrow('100 requests of this server are open');
    open.resolve();
    await Promise.all(asked);
    await ask();
  });

  test('is spent by answers that nobody has asked for', () => {
    const { traffic } = watched();
    traffic.count('notification', mcpLimits.upstreamUnaskedBytesPerMinuteMax - 2);
    expect(traffic.admits(answer, '{}', false)).toBe(true);
    expect(traffic.admits(answer, '{}', false)).toBe(false);
  });

  test('is not spent by answers to requests', () => {
    const { traffic, reasons } = watched();
    for (let sent = 0; sent <= mcpLimits.upstreamUnaskedPerMinuteMax; sent++) {
      expect(traffic.admits(answer, '{}', true)).toBe(true);
    }
    expect(reasons).toEqual([]);
    expect(traffic.answeredBytes).toBe(2 * (mcpLimits.upstreamUnaskedPerMinuteMax + 1));
  });
});
