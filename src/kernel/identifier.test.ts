import { expect, test } from 'vitest';
import { createIdentifiers, identifierTime } from './identifier.ts';
import { systemRandom } from './random.ts';

const standingClock = {
  now: () => 1_800_000_000_000,
  keepAfter: () => undefined,
  aheadMs: () => 0,
};

// proves: kernel.ids
test('ids sort in order of creation, also within one millisecond', () => {
  const make = createIdentifiers(standingClock, systemRandom);
  const ids = Array.from({ length: 10_000 }, () => make('prop'));
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

// proves: lanes.unguessable
test('an id does not tell the next one of the same millisecond', () => {
  const make = createIdentifiers(standingClock, systemRandom);
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  const value = (id: string): bigint =>
    [...id.slice(-16)].reduce((sum, digit) => sum * 32n + BigInt(digits.indexOf(digit)), 0n);
  const steps = Array.from({ length: 100 }, () => value(make('prop')) - value(make('lane')));
  expect(new Set(steps).size).toBe(100);
  // Of a hundred random steps of 56 bits, none is below 32 bits.
  expect(steps.filter((step) => step > -(2n ** 32n))).toEqual([]);
});

test('ids of a later millisecond sort after all earlier ones', () => {
  let now = 1_800_000_000_000;
  const clock = { now: () => now++, keepAfter: () => undefined, aheadMs: () => 0 };
  const highest = (count: number): Uint8Array => new Uint8Array(count).fill(now % 2 ? 255 : 0);
  const make = createIdentifiers(clock, highest);
  const ids = Array.from({ length: 100 }, () => make('task'));
  expect([...ids].sort()).toEqual(ids);
});

test('the same clock and randomness give the same ids', () => {
  const random = (count: number): Uint8Array => new Uint8Array(count).fill(7);
  const id = createIdentifiers(standingClock, random)('lane');
  expect(id).toBe(createIdentifiers(standingClock, random)('lane'));
  expect(id).toMatch(/^lane_[0-9A-HJKMNP-TV-Z]{26}$/);
});

test('an id contains its time of creation', () => {
  const id = createIdentifiers(standingClock, systemRandom)('prop');
  expect(identifierTime(id, 'prop')).toBe(1_800_000_000_000);
});

test.each(['', 'prop_', 'prop_nothing', 'task_', 'prop_%', 'prop_é'])(
  'text that is not an id has no time of creation: %j',
  (start) => {
    const [, rest = ''] = createIdentifiers(standingClock, systemRandom)('prop').split('_');
    expect(identifierTime(start, 'prop')).toBeUndefined();
    if (start !== 'prop_') expect(identifierTime(start + rest, 'prop')).toBeUndefined();
    expect(identifierTime(`prop_${rest.slice(1)}`, 'prop')).toBeUndefined();
    expect(identifierTime(`prop_${rest.toLowerCase()}`, 'prop')).toBeUndefined();
  },
);
