import { describe, expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import { against, hop, recording } from './recorded.fixture.ts';
import { findStatusChanges } from './status.ts';

const trade = (status: number, body: Hop['requestBody'], more: Partial<Hop> = {}): Hop =>
  hop({ from: null, to: 'edge', path: '/trades', status, requestBody: body, ...more });

const small = { counterparty: 'BANK-1', amount: 100 };
const large = { counterparty: 'BANK-1', amount: 20_000 };

const findIn = (known: () => readonly Hop[], candidate: readonly Hop[]): string[] =>
  findStatusChanges(against(() => recording(known()), recording(candidate))).map(
    ({ class: kind, what, severity, before, after }) =>
      `${severity}: ${kind} ${what} ${before} → ${after}`,
  );

describe('a request that was refused and is accepted', () => {
  test.each([
    ['status', 400],
    ['security', 401],
    ['status', 402],
    ['security', 403],
    ['status', 404],
    ['status', 409],
    ['status', 422],
  ])('is a lost refusal of the class %s: %i', (kind, status) => {
    const known = () => [trade(201, small), trade(status, large)];
    expect(findIn(known, [trade(201, small), trade(201, large)])).toEqual([
      `fail: ${kind} refusal-lost 201 in 1, ${status} in 1 of 2 → 201 in 2 of 2`,
    ]);
  });

  test('is a lost refusal, although another request is refused instead', () => {
    const known = () => [trade(201, small), trade(409, large)];
    expect(findIn(known, [trade(409, small), trade(201, large)])).toEqual([
      'fail: status status-worse 201 in 1, 409 in 1 of 2 → 201 in 1, 409 in 1 of 2',
      'fail: status refusal-lost 201 in 1, 409 in 1 of 2 → 201 in 1, 409 in 1 of 2',
    ]);
  });

  test('is no difference if equal requests were refused in any order', () => {
    const known = () => [trade(201, small), trade(409, small)];
    expect(findIn(known, [trade(409, small), trade(201, small)])).toEqual([]);
  });

  test('is no difference if a client only had to ask less often', () => {
    const read = (status: number) => trade(status, null, { method: 'GET', path: '/trades/trd_1' });
    expect(findIn(() => [read(404), read(404), read(200)], [read(404), read(200)])).toEqual([]);
  });

  test('is a notice if another service did not find what it was asked for', () => {
    const inside = (status: number) => hop({ method: 'GET', path: '/orders/1', status });
    expect(findIn(() => [inside(404)], [inside(200)])).toEqual([
      'notice: status status-changed 404 in 1 of 1 → 200 in 1 of 1',
    ]);
  });
});

describe('a request that failed and is accepted', () => {
  const down = { faults: 'fees>flags:status=503' };

  test('is a finding if it has an effect, although a service that it needs is down', () => {
    expect(findIn(() => [trade(502, small, down)], [trade(201, small, down)])).toEqual([
      'fail: status error-answered 502 in 1 of 1 → 201 in 1 of 1',
    ]);
  });

  test('is a notice without a fault, and for a read', () => {
    const read = { method: 'GET', ...down };
    const notice = ['notice: status error-answered 502 in 1 of 1 → 201 in 1 of 1'];
    expect(findIn(() => [trade(502, small)], [trade(201, small)])).toEqual(notice);
    expect(findIn(() => [trade(502, null, read)], [trade(201, null, read)])).toEqual(notice);
  });
});

test('requests that only differ in ids and times are the same request', () => {
  const keyed = (status: number, key: string) =>
    trade(status, { ...large, key, at: 1_700_000_000_000 + key.length });
  const known = (): Hop[] => [keyed(409, crypto.randomUUID()), trade(201, small)];
  expect(findIn(known, [keyed(201, crypto.randomUUID()), trade(409, small)])).toHaveLength(2);
});
