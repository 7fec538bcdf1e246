import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';

const { readKey, addKey } = createRequire(import.meta.url)('./lane-key.cjs');

describe('the key of an inbound request', () => {
  test.each<[string, Record<string, string>, string | undefined]>([
    ['baggage', { baggage: 'surety-lane=abc' }, 'abc'],
    ['tracestate', { tracestate: 'surety=abc' }, 'abc'],
    ['baggage among others', { baggage: 'user=7, surety-lane = a_B-9 ;p=1,x=2' }, 'a_B-9'],
    ['tracestate among others', { tracestate: 'vendor=x,surety=abc' }, 'abc'],
    ['baggage, if both differ', { baggage: 'surety-lane=b', tracestate: 'surety=t' }, 'b'],
    ['tracestate, if baggage has none', { baggage: 'user=7', tracestate: 'surety=t' }, 't'],
    ['a key of 64 characters', { baggage: `surety-lane=${'k'.repeat(64)}` }, 'k'.repeat(64)],
    ['nothing from 65 on', { baggage: `surety-lane=${'k'.repeat(65)}` }, undefined],
    ['nothing that is empty', { baggage: 'surety-lane=' }, undefined],
    ['nothing with other characters', { baggage: 'surety-lane=a%20b' }, undefined],
    ['nothing of a similar name', { baggage: 'xsurety-lane=a,surety=b' }, undefined],
    ['nothing at all', {}, undefined],
  ])('is read from %s', (_, headers, key) => {
    expect(readKey(headers)).toBe(key);
  });
});

describe('the key of an outbound call', () => {
  test.each<[string, string, unknown, string]>([
    ['a header that is absent', 'baggage', undefined, 'surety-lane=k'],
    ['a header that is empty', 'baggage', '', 'surety-lane=k'],
    ['other members', 'baggage', 'user=7;p=1, x=2', 'surety-lane=k,user=7;p=1,x=2'],
    ['several lines', 'baggage', ['user=7', 'x=2'], 'surety-lane=k,user=7,x=2'],
    ['another key', 'baggage', 'surety-lane=old,user=7', 'surety-lane=k,user=7'],
    ['tracestate', 'tracestate', 'vendor=x,surety=old', 'surety=k,vendor=x'],
  ])('joins %s', (_, name, list, expected) => {
    expect(addKey(name, list, 'k')).toBe(expected);
  });

  test('keeps tracestate to the 32 members that its standard allows', () => {
    const members = Array.from({ length: 32 }, (_, index) => `v${index}=1`);
    expect(addKey('tracestate', members.slice(1).join(','), 'k').split(',')).toHaveLength(32);
    const full = addKey('tracestate', members.join(','), 'k').split(',');
    expect(full).toEqual(['surety=k', ...members.slice(0, 31)]);
  });
});
