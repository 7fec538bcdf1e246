import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gateLimits } from '../limits.ts';
import { add, partsPerWindow, returnsAt, used, type WindowPart } from './window.ts';

const perMs = 1_000;
const at = 1_700_000_000_000;

describe('a window', () => {
  test('counts an amount until its slice has expired, at most 5 % late', () => {
    const parts = add([], perMs, at, 7);
    expect(used(parts, perMs, at)).toBe(7);
    expect(used(parts, perMs, at + perMs)).toBe(7);
    expect(used(parts, perMs, at + perMs + perMs / partsPerWindow)).toBe(0);
  });

  test('drops expired slices and keeps at most 21', () => {
    let parts: WindowPart[] = [];
    for (let step = 0; step < 100; step++) parts = add(parts, perMs, at + step * 50, 1);
    expect(parts).toHaveLength(partsPerWindow + 1);
    expect(add(parts, perMs, at + 100 * perMs, 0)).toEqual([]);
  });

  test('says when an amount will fit', () => {
    const parts = add(add([], perMs, at, 6), perMs, at + 500, 4);
    expect(returnsAt(parts, perMs, 10, 1, at + 600)).toBe(at + 1_050);
    expect(returnsAt(parts, perMs, 10, 7, at + 600)).toBe(at + 1_550);
    expect(returnsAt(parts, perMs, 11, 1, at + 600)).toBe(at + 600);
    expect(returnsAt(parts, perMs, 10, 11, at + 600)).toBeNull();
  });

  test('caps its count at limits.amountMax', () => {
    const full = add([], perMs, at, gateLimits.amountMax);
    expect(used(add(full, perMs, at, 5), perMs, at)).toBe(gateLimits.amountMax);
    expect(used(add(full, perMs, at + 60, 5), perMs, at + 60)).toBe(gateLimits.amountMax);
  });

  const spending = fc.record({
    perMs: fc.constantFrom(1, 7, 20, 333, 1_000, 86_400_000),
    limit: fc.integer({ min: 1, max: 50 }),
    wishes: fc.array(
      fc.record({
        share: fc.integer({ min: 0, max: 40 }),
        amount: fc.integer({ min: 0, max: 60 }),
      }),
      { maxLength: 60 },
    ),
  });

  test('never lets more than the limit through in any span of its length', () => {
    fc.assert(
      fc.property(spending, ({ perMs: length, limit, wishes }) => {
        let parts: WindowPart[] = [];
        let now = at;
        const spent: [number, number][] = [];
        for (const { share, amount } of wishes) {
          now += Math.floor((share * length) / 20);
          if (used(parts, length, now) + amount > limit) continue;
          parts = add(parts, length, now, amount);
          spent.push([now, amount]);
        }
        for (const [from] of spent) {
          const inSpan = spent.filter(([time]) => time >= from && time < from + length);
          expect(inSpan.reduce((sum, [, amount]) => sum + amount, 0)).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  test('lets an amount fit exactly at the announced time and not before', () => {
    fc.assert(
      fc.property(spending, ({ perMs: length, limit, wishes }) => {
        let parts: WindowPart[] = [];
        let now = at;
        for (const { share, amount } of wishes) {
          now += Math.floor((share * length) / 20);
          const when = returnsAt(parts, length, limit, amount, now);
          expect(when === null).toBe(amount > limit);
          if (when !== null) {
            expect(used(parts, length, when) + amount).toBeLessThanOrEqual(limit);
            expect(when).toBeLessThanOrEqual(now + length + Math.ceil(length / 20));
            const before = when - 1;
            if (before >= now) expect(used(parts, length, before) + amount).toBeGreaterThan(limit);
          }
          parts = add(parts, length, now, Math.min(amount, limit));
        }
      }),
    );
  });
});
