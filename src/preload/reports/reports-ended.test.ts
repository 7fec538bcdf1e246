import { createRequire } from 'node:module';
import { expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const { Ended } = require('./requests/ended.cjs');
const { EndedCalls } = require('./calls/ended-calls.cjs');
const { beginCall } = require('./calls/calls.cjs');
const { Trace, idsOf } = require('./trace.cjs');
const { Batch, frontOf } = require('./otlp/batch.cjs');

const told = {
  method: 'PUT',
  path: '/a/1',
  traceparent: undefined,
  lane: 'lane_1',
  requestId: 'r-1',
  route: { text: '/a/:id' },
  error: new Error('no'),
  beganMs: 12.25,
  endedMs: 13.5,
  cpuUs: 250,
  calls: 3,
  requestBytes: 2 ** 40,
  responseBytes: -1,
  rpcStatus: 13,
  status: 503,
  isShared: true,
  isGone: true,
};
const bare = { ...told, isShared: false, isGone: false, error: undefined, status: 0 };

test('reports a finished request as it was, with the ids that others see', () => {
  const ended = new Ended(2);
  const traces = [told, bare].map((one) => Object.assign(new Trace(undefined, 'x'), one));
  for (const trace of traces) ended.add(trace);
  for (const [index, trace] of traces.entries()) {
    const read = { ...ended.read(index) };
    expect(read).toMatchObject(index === 0 ? told : bare);
    // Also by a line that is written after its end.
    expect({ ...read.ids }).toEqual({ ...idsOf(trace) });
  }
  ended.clear();
  expect(ended.count).toBe(0);
});

test('a request continues the trace ids of its caller, and the next request forgets them', () => {
  const ended = new Ended(2);
  const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-00`;
  ended.add(Object.assign(new Trace(undefined, undefined), { traceparent }));
  ended.add(new Trace(undefined, undefined));
  expect(ended.read(0).ids).toMatchObject({ hasParent: true, t0: 0xabababab | 0, flags: 0 });
  expect(ended.read(1).ids).toMatchObject({ hasParent: false, flags: 1 });
});

test('reports a finished call as it was, in the trace of its request', () => {
  const ended = new EndedCalls(2);
  const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
  const trace = Object.assign(new Trace(undefined, 'lane_1'), { traceparent });
  const about = { method: 'GET', peer: 'a:80', path: '/b', status: 503, rpcStatus: 13 };
  const times = { beganMs: 12.25, endedMs: 13.5, error: new Error('no'), common: Buffer.of(7) };
  const calls = [beginCall(), beginCall(trace)].map((one) => Object.assign(one, about, times));
  for (const call of calls) ended.add(call);
  for (const [index, { s0, s1, hasParent, lane, ids }] of calls.entries()) {
    const read = { ...ended.read(index) };
    expect(read).toMatchObject({ ...about, ...times, s0, s1, hasParent, lane });
    expect({ ...read.ids }).toEqual({ ...ids });
  }
  ended.clear();
  expect(ended.count).toBe(0);
});

test('no two requests have the same ids', () => {
  const idOf = ({ t0, t1, s0, s1 }: Record<string, number>): string => `${t0} ${t1} ${s0} ${s1}`;
  const ids = Array.from({ length: 20_000 }, () => idsOf(new Trace(undefined, undefined)));
  expect(new Set(ids.map((one) => one.s0)).size).toBe(ids.length);
  expect(new Set(ids.map(idOf)).size).toBe(ids.length);
});

test('a batch releases the memory that it grew to', () => {
  const batch = new Batch({ path: '/', host: 'h', front: frontOf(Buffer.alloc(4)), bytesMax: 1e6 });
  const first = batch.bytes.length;
  expect(batch.hasRoom(300_000)).toBe(true);
  expect(batch.bytes.length).toBeGreaterThan(300_000);
  batch.clear();
  expect(batch.bytes.length).toBe(first);
});
