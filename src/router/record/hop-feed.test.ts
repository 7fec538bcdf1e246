import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { listenPrivately, sharedLimits, socketPlace } from '../../kernel/index.ts';
import { routerLimits } from '../limits.ts';
import { CapturedBody } from './captured-body.ts';
import { HopFeed } from './hop-feed.ts';
import type { HopDraft } from './hops.ts';

let directory: string;
let server: Server;
let batches: { hops: Record<string, unknown>[]; lostHops: number }[] = [];
let status = 200;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'surety-feed-'));
  batches = [];
  status = 200;
  server = createServer(async (request, response) => {
    const body = (await json(request)) as (typeof batches)[number];
    if (request.url === '/control/record' && status === 200) batches.push(body);
    response.writeHead(status).end('{}');
  });
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
});

async function listen(): Promise<void> {
  await listenPrivately(server, socketPlace(directory, 'telemetry'));
}

const body = (text: string): CapturedBody => {
  const captured = new CapturedBody('application/json');
  captured.add(Buffer.from(text));
  return captured;
};

const draft = (more: Partial<HopDraft> = {}): HopDraft => ({
  at: 1_800_000_000_000,
  startedAt: 0,
  key: 'lane_1',
  requestId: null,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  from: 'edge',
  to: 'orders',
  instance: 'orders/lane_1/1',
  served: null,
  answered: true,
  recovered: false,
  escaped: false,
  protocol: 'http1',
  method: 'POST',
  path: '/orders?email=ada@example.com',
  status: 201,
  durationMs: 1.5,
  request: body('{"amount": 12345, "password": "hunter2"}'),
  response: body('[1,'),
  ...more,
});

describe('hops sent to telemetry', () => {
  test('carry the shapes of the bodies but none of their values', async () => {
    await listen();
    const feed = new HopFeed(directory);
    feed.add(draft());
    const batch = await until('they are told', () => batches[0]);
    await feed.close();
    expect(batch?.hops).toEqual([
      expect.objectContaining({
        atNs: '1800000000000000000',
        durationNs: '1500000',
        lane: 'lane_1',
        caller: 'edge',
        callee: 'orders',
        path: '/orders',
        traceId: '0af7651916cd43dd8448eb211c80319c',
        requestBytes: 40,
        requestShape: '{"":["object"],"amount":["number"],"password":["string"]}',
        responseShape: '',
      }),
    ]);
    expect(JSON.stringify(batch)).not.toMatch(/hunter2|ada@|12345/);
  });

  test('are dropped while there is no telemetry, and sent once there is', async () => {
    const feed = new HopFeed(directory);
    feed.add(draft());
    await feed.close();
    await listen();
    const later = new HopFeed(directory);
    later.add(draft({ key: 'lane_2' }));
    await later.close();
    expect(batches.flatMap(({ hops }) => hops.map(({ lane }) => lane))).toEqual(['lane_2']);
  });

  test('that could not be sent are counted in the next batch', async () => {
    await listen();
    status = 503;
    const feed = new HopFeed(directory);
    feed.add(draft());
    feed.add(draft());
    await feed.close();
    status = 200;
    feed.add(draft());
    await feed.close();
    expect(batches).toMatchObject([{ hops: [{}], lostHops: 2 }]);
  });

  test('wait in a queue up to the limit; the rest is counted as lost', async () => {
    await listen();
    const feed = new HopFeed(directory);
    for (let n = 0; n < routerLimits.reportedHopsQueuedMax; n++)
      feed.add(draft({ request: body('1') }));
    feed.add(draft());
    await until(
      'all are told',
      () => sumOf(batches.map(({ hops }) => hops.length)) === routerLimits.reportedHopsQueuedMax,
    );
    await feed.close();
    expect(sumOf(batches.map(({ lostHops }) => lostHops))).toBe(1);
    expect(Math.max(...batches.map(({ hops }) => hops.length))).toBe(
      routerLimits.reportedHopsBatchMax,
    );
  });

  test('carry no shapes after the limit of computed shapes', async () => {
    await listen();
    const feed = new HopFeed(directory);
    const large = body(JSON.stringify('x'.repeat(sharedLimits.hopBodyBytesMax - 2)));
    const needed = routerLimits.reportedShapeBytesMax / sharedLimits.hopBodyBytesMax;
    for (let n = 0; n < needed + 1; n++) feed.add(draft({ request: large, response: body('') }));
    await feed.close();
    const shapes = batches.flatMap(({ hops }) => hops.map(({ requestShape }) => requestShape));
    expect(shapes.filter((shape) => shape !== '')).toHaveLength(needed);
    expect(shapes.at(-1)).toBe('');
  });
});

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
