import { describe, expect, test } from 'vitest';
import { createAddressBook } from '../table/address-book.ts';
import type { RouteTable } from '../table/table.ts';
import { route } from './route.ts';
import { findRoute } from './route-cache.ts';

const overrides = { pricing: { port: 5_001, instance: 'p/1' } };
const table: RouteTable = {
  ingress: 'edge',
  header: 'x-lane',
  services: { edge: { port: 4_300 }, pricing: { port: 4_302 } },
  lanes: {
    k1: { lane: 'lane_1', overrides, expiresAt: 1_000 },
    k2: { lane: 'lane_2', overrides: {} },
  },
};
const door = { port: 4_400, from: 'edge', to: 'pricing' };

const arrivals = [
  { headers: { baggage: 'surety-lane=k1' } },
  { headers: { baggage: 'surety-lane=k2' } },
  { headers: { baggage: 'surety-lane=k1' }, door },
  { headers: { 'x-lane': 'k1' } },
  { headers: { tracestate: 'surety=k1' } },
  { headers: { baggage: 'surety-lane=k1', 'x-surety-to': 'pricing:80' } },
  { headers: { baggage: 'surety-lane=k1', 'x-surety-to': 'pricing:80', 'x-surety-from': 'edge' } },
  { headers: { baggage: 'surety-lane=k1', 'x-surety-to': 'a:1', 'x-surety-scheme': 'https' } },
  { headers: {}, door },
].map((arrival) => ({ ...arrival, now: 0 }));

describe('a cached route', () => {
  test('equals the route that would be computed anew', () => {
    const book = createAddressBook(table);
    for (const arrival of [...arrivals, ...arrivals]) {
      expect(findRoute(book, arrival)).toEqual(route(book, arrival));
    }
    const [first] = arrivals as [(typeof arrivals)[0]];
    expect(findRoute(book, first)).toBe(findRoute(book, first));
    expect(findRoute(createAddressBook(table), first)).not.toBe(findRoute(book, first));
  });

  test.each([
    ['an empty address', { 'x-surety-to': '' }],
    ['the address "undefined"', { 'x-surety-to': 'undefined' }],
    ['another key', { tracestate: 'surety=k2' }],
    ['an empty header', { 'x-lane': '' }],
  ])('is not used for a request with %s', (_, more) => {
    const book = createAddressBook(table);
    const headers = { baggage: 'surety-lane=k1' };
    findRoute(book, { headers, now: 0 });
    expect(() => findRoute(book, { headers: { ...headers, ...more }, now: 0 })).toThrow();
  });

  test('ends with its lane', () => {
    const book = createAddressBook(table);
    const headers = { baggage: 'surety-lane=k1' };
    expect(findRoute(book, { headers, now: 999 })).toMatchObject({ key: 'k1' });
    expect(() => findRoute(book, { headers, now: 1_000 })).toThrow('time of the lane');
  });

  test('is dropped when the cache is full', () => {
    const book = createAddressBook(table);
    for (let n = 0; n < 5_000; n++) {
      const headers = { baggage: `surety-lane=k2,n=${n}` };
      expect(findRoute(book, { headers, now: 0 })).toMatchObject({ key: 'k2', to: 'edge' });
    }
  });
});
