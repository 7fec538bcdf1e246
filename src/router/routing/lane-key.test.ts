import { describe, expect, test } from 'vitest';
import { isLaneKey, readKeys, withMember } from './lane-key.ts';

describe('the keys of a request', () => {
  test.each<[string, Parameters<typeof readKeys>[0], string[]]>([
    ['baggage', { baggage: 'surety-lane=a_B-9' }, ['a_B-9']],
    ['tracestate', { tracestate: 'vendor=1, surety=k' }, ['k']],
    ['a configured header', { header: ' k ' }, ['k']],
    [
      'all of them',
      { baggage: 'u=1,surety-lane=k;p=2', tracestate: 'surety=l', header: 'm, n' },
      ['k', 'l', 'm', 'n'],
    ],
    ['a repeated baggage member', { baggage: 'surety-lane=k,surety-lane = l' }, ['k', 'l']],
    ['a request without any', {}, []],
    [
      'headers of others, which hold none',
      { baggage: 'lane=k,my-surety-lane=k', tracestate: 'surety-lane=k' },
      [],
    ],
  ])('are read from %s', (_, headers, keys) => {
    expect(readKeys(headers)).toEqual(keys);
  });

  test.each<[string, Parameters<typeof readKeys>[0]]>([
    ['one is valid and one is not', { baggage: 'surety-lane=a,surety-lane=' }],
    ['the key is empty', { baggage: 'surety-lane=' }],
    ['the configured header is empty', { header: '' }],
    ['the key has forbidden characters', { baggage: 'surety-lane=a b' }],
    ['the key is percent-encoded', { baggage: 'surety-lane=%6b' }],
    ['the key contains an equals sign', { baggage: 'surety-lane=a=b' }],
    ['the key is too long', { baggage: `surety-lane=${'k'.repeat(65)}` }],
  ])('are refused when %s', (_, headers) => {
    const refusal = { code: 'LANE_UNKNOWN', message: expect.stringContaining('letters') };
    expect(() => readKeys(headers)).toThrow(expect.objectContaining(refusal));
  });

  test('have 1 to 64 characters', () => {
    const lengths = [0, 1, 64, 65].map((length) => isLaneKey('k'.repeat(length)));
    expect(lengths).toEqual([false, true, true, false]);
  });

  test('are put in front of the entries of others', () => {
    expect(withMember(undefined, 'surety', 'k')).toBe('surety=k');
    expect(withMember('a=1, surety=old,b=2;p', 'surety', 'k')).toBe('surety=k,a=1,b=2;p');
  });
});
