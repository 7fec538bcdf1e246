import { describe, expect, test } from 'vitest';
import { grantLimits } from './limits.ts';
import { createReplayGuard } from './replay-guard.ts';

// proves: grant.once
describe('a used grant', () => {
  test('is remembered until it expires, whatever comes after it', () => {
    const seen = createReplayGuard(3);
    const take = (id: string, untilMs: number, nowMs: number): string =>
      seen.take({ id, untilMs, nowMs });
    expect([take('a', 100, 0), take('b', 200, 0), take('c', 300, 0)]).toEqual(
      Array(3).fill('first'),
    );
    for (let flood = 0; flood < 100; flood++) expect(take(`x${flood}`, 400, 99)).toBe('full');
    expect(['a', 'b', 'c'].map((id) => take(id, 100, 99))).toEqual(Array(3).fill('used'));
  });

  test('is forgotten once it has expired, and not earlier', () => {
    const seen = createReplayGuard(1);
    expect(seen.take({ id: 'a', untilMs: 100, nowMs: 0 })).toBe('first');
    expect(seen.take({ id: 'b', untilMs: 200, nowMs: 99 })).toBe('full');
    expect(seen.take({ id: 'b', untilMs: 200, nowMs: 100 })).toBe('first');
    expect(seen.take({ id: 'b', untilMs: 200, nowMs: 100 })).toBe('used');
  });

  test('stays used when it is no longer remembered and the clock is set back', () => {
    const seen = createReplayGuard(1);
    expect(seen.take({ id: 'a', untilMs: 100, nowMs: 0 })).toBe('first');
    expect(seen.take({ id: 'b', untilMs: 200, nowMs: 150 })).toBe('first');
    expect(seen.take({ id: 'a', untilMs: 100, nowMs: 50 })).toBe('used');
  });

  test('needs bounded memory in a long-lived process', () => {
    const seen = createReplayGuard(10);
    const found = Array.from({ length: 1_000 }, (_, index) =>
      seen.take({ id: `g${index}`, untilMs: index + 10, nowMs: index }),
    );
    expect(new Set(found)).toEqual(new Set(['first']));
  });

  test(`is one of at most ${grantLimits.seenGrantsMax} remembered grants by default`, () => {
    const seen = createReplayGuard();
    const take = (id: number): string => seen.take({ id: `g${id}`, untilMs: 2, nowMs: 1 });
    const found = Array.from({ length: grantLimits.seenGrantsMax }, (_, index) => take(index));
    expect(new Set(found)).toEqual(new Set(['first']));
    expect([take(grantLimits.seenGrantsMax), take(0)]).toEqual(['full', 'used']);
  });
});
