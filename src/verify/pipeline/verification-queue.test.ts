import { expect, test, vi } from 'vitest';
import type { Actor } from '../../kernel/index.ts';
import { verifyLimits } from '../limits.ts';
import { isRoom, parsePressure } from './machine-room.ts';
import { VerificationQueue } from './verification-queue.ts';

const settled = { sinceLastStartMs: 10_000 };
const limit = verifyLimits.verificationPressurePercentMax;
const coresForTwo = 2 * verifyLimits.verificationCores;
const at = (percent: number | null) => ({ cpu: percent, memory: 0, io: 0 });

test.each([
  ['an idle small machine, nothing running', { running: 0, sinceLastStartMs: 0 }, 2, 0, true],
  ['a small machine under pressure, nothing running', { running: 0, ...settled }, 2, 99, true],
  ['one running at the limit of pressure', { running: 1, ...settled }, 2, limit, true],
  ['one running above the limit', { running: 1, ...settled }, 2, limit + 0.01, false],
  ['one that started just now', { running: 1, sinceLastStartMs: 9_999 }, 2, 0, false],
  ['as many as cores', { running: 2, ...settled }, 2, 0, false],
  ['a kernel without figures', { running: 1, ...settled }, 2, null, false],
  ['cores for two', { running: 1, sinceLastStartMs: 0 }, coresForTwo, 99, true],
  ['cores for one', { running: 1, sinceLastStartMs: 0 }, coresForTwo - 1, 99, false],
])('room for a verification: %s', (_, occupancy, cores, percent, expected) => {
  expect(isRoom(occupancy, cores, at(percent))).toBe(expected);
});

test('pressure is read from the first line of the kernel', () => {
  const text = 'some avg10=12.34 avg60=1.00 avg300=0.10 total=1\nfull avg10=5.00 avg60=0.00';
  expect(parsePressure(text)).toBe(12.34);
  expect(parsePressure('')).toBeNull();
});

/** One verification at a time; each ends when it is told to. */
function openQueue() {
  const queue = new VerificationQueue(({ running }) => running < 1);
  const started: string[] = [];
  const stages = new Map<string, string>();
  const ends = new Map<string, () => void>();
  const begin = (actor: Actor, name: string, signal?: AbortSignal) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    ends.set(name, () => resolve(name));
    const work = () => {
      started.push(name);
      return promise;
    };
    return queue.during(actor, work, (stage) => stages.set(name, stage), signal);
  };
  return { started, stages, begin, end: (name: string) => ends.get(name)?.() };
}

test('verifications wait for each other, and see their place in the queue', async () => {
  const { begin, end, started, stages } = openQueue();
  const all = ['a', 'b', 'c'].map((name) => begin('agent:coder', name));
  await vi.waitFor(() => expect(started).toEqual(['a']));
  expect(stages.get('b')).toBe('waiting until the machine has room: 1 of 2 in the queue');
  expect(stages.get('c')).toMatch(/2 of 2/);
  end('a');
  await vi.waitFor(() => expect(started).toEqual(['a', 'b']));
  expect(stages.get('c')).toMatch(/1 of 1/);
  for (const name of ['b', 'c']) end(name);
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
});

test('whoever has fewer verifications running comes first', async () => {
  let max = 1;
  const queue = new VerificationQueue(({ running }) => running < max);
  const started: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const begin = (actor: Actor, name: string) => {
    const work = () => {
      started.push(name);
      return promise;
    };
    return queue.during(actor, work, vi.fn());
  };
  const all = [begin('agent:many', 'many'), begin('agent:many', 'more'), begin('agent:few', 'few')];
  max = 2;
  all.push(begin('agent:many', 'most'));
  await vi.waitFor(() => expect(started).toEqual(['many', 'few']));
  resolve();
  await Promise.all(all);
  expect(started).toEqual(['many', 'few', 'more', 'most']);
});

test('a verification whose deadline passes in the queue never starts', async () => {
  const { begin, end, started, stages } = openQueue();
  const deadline = new AbortController();
  const first = begin('person:ada', 'first');
  const late = begin('person:ada', 'late', deadline.signal);
  const last = begin('person:ada', 'last');
  deadline.abort();
  expect(await late).toBeNull();
  await vi.waitFor(() => expect(stages.get('last')).toMatch(/1 of 1/));
  end('first');
  await first;
  end('last');
  await last;
  expect(started).toEqual(['first', 'last']);
});

test('a verification that fails makes room for the next one', async () => {
  const queue = new VerificationQueue(({ running }) => running < 1);
  const broken = queue.during('person:ada', () => Promise.reject(new Error('broken')), vi.fn());
  await expect(broken).rejects.toThrow('broken');
  expect(await queue.during('person:ada', async () => 'next', vi.fn())).toBe('next');
});
