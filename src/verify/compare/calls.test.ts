import { describe, expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import { findCallChanges } from './calls.ts';
import { findNewErrors } from './errors.ts';
import { against, recording, request } from './recorded.fixture.ts';

const ask = (path: string) => ({ to: 'flags', method: 'GET', path });
const failing = (was: string[], is: string[]) =>
  findCallChanges(
    against(() => recording(request(was.map(ask))), recording(request(is.map(ask)))),
  ).filter(({ severity }) => severity === 'fail');

describe('reads of one service below one request', () => {
  test('are found if there is one for each item, whatever their paths', () => {
    const found = failing(['/flags'], ['/flags', '/flags/a', '/flags/b', '/flags/c']);
    expect(found).toMatchObject([
      { what: 'call-repeated', service: 'orders', before: '1 times', after: '4 times' },
    ]);
  });

  test('are ignored if there are only one or two more', () => {
    expect(failing(['/flags'], ['/flags', '/flags/a', '/flags/b'])).toEqual([]);
  });
});

describe('calls of the same request are compared with each other, so that', () => {
  const event = { to: 'notifications', path: 'trades.made', protocol: 'message' } as const;
  const trade = (amount: number, calls: readonly Partial<Hop>[], more: Partial<Hop> = {}) =>
    request(calls, { requestBody: { amount }, ...more });
  const findIn = (known: () => Hop[], now: Hop[]) =>
    findCallChanges(against(() => recording(known()), recording(now)));

  test('a message is found that is sent as often for one request as before for another', () => {
    const known = () => [...trade(100, [event]), ...trade(20_000, [event, event])];
    const found = findIn(known, [...trade(100, [event, event]), ...trade(20_000, [event, event])]);
    expect(found).toMatchObject([
      { what: 'effect-repeated', before: '1 times', after: '2 times', severity: 'fail' },
    ]);
    // As often in all, but for another request: what is done in the background comes at any time.
    expect(
      findIn(known, [...trade(100, [event, event]), ...trade(20_000, [event])]).filter(
        ({ severity }) => severity === 'fail',
      ),
    ).toEqual([]);
  });

  test('the totals of equal requests count', () => {
    const known = () => [...trade(100, [event]), ...trade(100, [event, event])];
    const found = findIn(known, [...trade(100, [event, event]), ...trade(100, [event, event])]);
    expect(found).toMatchObject([
      { before: '3 times in 2 requests', after: '4 times in 2 requests', severity: 'fail' },
    ]);
  });

  test('an effect that one kind of request had before its answer and no longer has is found', () => {
    const review = { to: 'risk', path: '/reviews' };
    const known = () => [
      ...trade(100, [{ to: 'fees' }], { durationMs: 50 }),
      ...trade(20_000, [{ to: 'fees' }, review], { durationMs: 50 }),
    ];
    const now = [100, 20_000].flatMap((amount) =>
      trade(amount, [{ to: 'fees' }], { durationMs: 50 }),
    );
    expect(findIn(known, now)).toMatchObject([
      { what: 'call-missing', hop: 'orders → risk POST /reviews', severity: 'fail' },
    ]);
    expect(findIn(known, known())).toEqual([]);
  });
});

describe('a message that waited for an effect and now comes before it', () => {
  const write = { to: 'store', path: '/trades' };
  const event = { to: 'notifications', path: 'trades.made', protocol: 'message' } as const;
  const trades = (calls: readonly Partial<Hop>[]) =>
    recording([1, 2, 3].flatMap(() => request(calls)));
  const found = (known: readonly Partial<Hop>[], now: readonly Partial<Hop>[]) =>
    findCallChanges(against(() => trades(known), trades(now))).map(
      ({ what, severity }) => `${severity}: ${what}`,
    );

  test('is found, such as an event before the write that it tells of', () => {
    expect(found([write, event], [event, write])).toEqual(['fail: event-early']);
  });

  test('is a notice if both were made at the same time, or if one only reads', () => {
    const slow = { ...write, durationMs: 50 };
    expect(found([slow, event], [event, slow])).toEqual(['notice: call-reordered']);
    const read = { ...write, method: 'GET' };
    expect(found([read, event], [event, read])).toEqual(['notice: call-reordered']);
  });
});

describe('a warning of the runtime', () => {
  const logged = (text: string) => recording([], { logs: [{ service: 'validation', text }] });
  const found = (text: string) => findNewErrors(against(() => recording([]), logged(text)));

  test('is an error of a new kind', () => {
    const line = '(node:7) MaxListenersExceededWarning: Possible EventEmitter memory leak';
    expect(found(line)).toMatchObject([{ what: 'error-new', service: 'validation' }]);
  });

  test.each(['(node:7) [DEP0040] DeprecationWarning: punycode', 'ExperimentalWarning: SQLite'])(
    'about a deprecation is no error: %s',
    (line) => {
      expect(found(line)).toEqual([]);
    },
  );
});
