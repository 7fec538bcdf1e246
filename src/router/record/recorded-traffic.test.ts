import { describe, expect, test } from 'vitest';
import { sharedLimits } from '../../kernel/index.ts';
import type { Caller } from '../inbound/caller.ts';
import type { RequestHead } from '../inbound/head.ts';
import { routerLimits } from '../limits.ts';
import { RecordedTraffic } from './recorded-traffic.ts';

const head = (headers: Record<string, string> = {}, hasBody = false): RequestHead => ({
  method: 'GET',
  path: '/orders',
  headers,
  lines: Object.entries(headers).flat(),
  hasBody,
  isGrpc: false,
});
const caller = (connection: string, protocol = 'http1'): Caller =>
  ({ connection, protocol }) as Caller;

function scene(perMille = 1_000) {
  let now = 1_000;
  const traffic = new RecordedTraffic({
    now: () => now,
    keepAfter: () => undefined,
    aheadMs: () => 0,
  });
  traffic.fetch(perMille);
  return {
    traffic,
    wait: (ms: number) => {
      now += ms;
    },
    pass(from = caller('a:1'), asked = head(), sent = 0) {
      const taking = traffic.open(asked, from);
      if (sent > 0) taking?.sent.add(Buffer.alloc(sent, 'a'));
      if (sent > 0) taking?.answered.add(Buffer.alloc(4 * sent, 'b'));
      taking?.end(200);
    },
    clients: () => traffic.fetch(perMille).map(({ client }) => client),
  };
}

describe('requests of the baseline are recorded', () => {
  test('only while they are being fetched, and returned once', () => {
    const { pass, wait, clients, traffic } = scene();
    pass();
    expect(clients()).toHaveLength(1);
    wait(routerLimits.recordingLeaseMs - 1);
    pass();
    wait(1);
    pass();
    // What came before is gone, too: nobody wanted it.
    expect(traffic.fetch(0)).toEqual([]);
    pass();
    expect(traffic.fetch(0)).toEqual([]);
  });

  test('per client, which is known by its credentials or else by its connection', () => {
    const { pass, clients } = scene();
    pass(caller('a:1'), head({ authorization: 'Bearer person' }));
    pass(caller('a:2'), head({ authorization: 'Bearer person' }));
    pass(caller('a:2'));
    pass(caller('a:2'));
    pass(caller('a:3'), head({ cookie: 'sid=1' }));
    const [first, second, third, fourth, fifth] = clients();
    expect([second, fourth]).toEqual([first, third]);
    expect(new Set([first, third, fifth]).size).toBe(3);
  });

  test('for a share of the clients, with all requests of a client or none', () => {
    const { pass, clients } = scene(500);
    for (let n = 0; n < 200; n++) pass(caller(`a:${n % 100}`));
    const counts = Map.groupBy(clients(), (client) => client);
    expect(counts.size).toBeGreaterThan(10);
    expect(counts.size).toBeLessThan(90);
    expect([...counts.values()].every(({ length }) => length === 2)).toBe(true);
  });

  test('up to a number and a total size', () => {
    const { pass, clients } = scene();
    for (let n = 0; n <= routerLimits.recordedBufferRequestsMax; n++) pass();
    expect(clients()).toHaveLength(routerLimits.recordedBufferRequestsMax);
    const base64Bytes = (bytes: number): number => 4 * Math.ceil(bytes / 3);
    const each =
      base64Bytes(sharedLimits.recordedBodyBytesMax) +
      base64Bytes(4 * sharedLimits.recordedBodyBytesMax);
    for (let n = 0; n < routerLimits.recordedBufferRequestsMax; n++) {
      pass(caller('a:1'), head({}, true), sharedLimits.recordedBodyBytesMax);
    }
    expect(clients()).toHaveLength(Math.floor(routerLimits.recordedBufferBytesMax / each));
  });

  test('only as plain HTTP and with complete bodies', () => {
    const { pass, clients } = scene();
    pass(caller('a:1'), head({}, true), sharedLimits.recordedBodyBytesMax + 1);
    pass(caller('a:1', 'grpc'));
    pass(caller('a:1', 'websocket'));
    expect(clients()).toEqual([]);
    pass(caller('a:1', 'http2'), head({}, true), sharedLimits.recordedBodyBytesMax);
    expect(clients()).toHaveLength(1);
  });
});
