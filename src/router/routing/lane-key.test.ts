import { describe, expect, test } from 'vitest';
import { isLaneKey, readKeys, withMember } from './lane-key.ts';

describe('the keys of a request', () => {
  test.each<[string, Parameters<typeof readKeys>[0], string[]]>([
    ['baggage', { baggage: 'surety-lane=a_B-9' }, ['a_B-9']],
    ['tracestate', { tracestate: 'vendor=1, surety=k' }, ['k']],
    ['a header of their own', { header: ' k ' }, ['k']],
    [
      'all of them',
      { baggage: 'u=1,surety-lane=k;p=2', tracestate: 'surety=l', header: 'm, n' },
      ['k', 'l', 'm', 'n'],
    ],
    ['a member that is repeated', { baggage: 'surety-lane=k,surety-lane = l' }, ['k', 'l']],
    ['nothing', {}, []],
    ['nothing of ours', { baggage: 'lane=k,my-surety-lane=k', tracestate: 'surety-lane=k' }, []],
  ])('are read from %s', (_, headers, keys) => {
    expect(readKeys(headers)).toEqual(keys);
  });

  test.each<[string, Parameters<typeof readKeys>[0]]>([
    ['one is good and one is not', { baggage: 'surety-lane=a,surety-lane=' }],
    ['it is empty', { baggage: 'surety-lane=' }],
    ['the header of its own is empty', { header: '' }],
    ['it has other characters', { baggage: 'surety-lane=a b' }],
    ['it is encoded', { baggage: 'surety-lane=%6b' }],
    ['it holds the sign itself', { baggage: 'surety-lane=a=b' }],
    ['it is too long', { baggage: `surety-lane=${'k'.repeat(65)}` }],
  ])('are refused when %s', (_, headers) => {
    const refusal = { code: 'LANE_UNKNOWN', message: expect.stringContaining('letters') };
    expect(() => readKeys(headers)).toThrow(expect.objectContaining(refusal));
  });

  test('have 1 to 64 characters', () => {
    const lengths = [0, 1, 64, 65].map((length) => isLaneKey('k'.repeat(length)));
    expect(lengths).toEqual([false, true, true, false]);
  });

  test('are put in front of what others have there', () => {
    expect(withMember(undefined, 'surety', 'k')).toBe('surety=k');
    expect(withMember('a=1, surety=old,b=2;p', 'surety', 'k')).toBe('surety=k,a=1,b=2;p');
  });
});
