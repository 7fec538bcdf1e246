import { describe, expect, test } from 'vitest';
import { isLaneKey, readKey } from './lane-key.ts';

describe('the key of a request', () => {
  test.each([
    ['baggage', { baggage: 'surety-lane=a_B-9' }, 'a_B-9'],
    ['tracestate', { tracestate: 'vendor=1, surety=k' }, 'k'],
    ['both, when they agree', { baggage: 'u=1,surety-lane=k;p=2', tracestate: 'surety=k' }, 'k'],
    ['a member that is repeated alike', { baggage: 'surety-lane=k,surety-lane = k' }, 'k'],
  ])('is read from %s', (_, headers, key) => {
    expect(readKey(headers)).toBe(key);
  });

  test.each([
    ['there is none', {}, 'no key'],
    ['there are only others', { baggage: 'lane=k', tracestate: 'surety-lane=k' }, 'no key'],
    ['two differ', { baggage: 'surety-lane=a', tracestate: 'surety=b' }, 'contradict'],
    ['one list has two', { baggage: 'surety-lane=a,surety-lane=b' }, 'contradict'],
    ['one is good and one is not', { baggage: 'surety-lane=a,surety-lane=' }, 'contradict'],
    ['it is empty', { baggage: 'surety-lane=' }, 'letters'],
    ['it has other characters', { baggage: 'surety-lane=a b' }, 'letters'],
    ['it holds the sign itself', { baggage: 'surety-lane=a=b' }, 'letters'],
    ['it is too long', { baggage: `surety-lane=${'k'.repeat(65)}` }, 'letters'],
  ])('is refused when %s', (_, headers, reason) => {
    const refusal = { code: 'LANE_UNKNOWN', message: expect.stringContaining(reason) };
    expect(() => readKey(headers)).toThrow(expect.objectContaining(refusal));
  });

  test('has 1 to 64 characters', () => {
    const lengths = [0, 1, 64, 65].map((length) => isLaneKey('k'.repeat(length)));
    expect(lengths).toEqual([false, true, true, false]);
  });
});
