import assert, { AssertionError } from 'node:assert/strict';
import { describe, expect, test } from 'vitest';
import { holds, lineOf, tell } from './define-suite.ts';
import { eventually } from './eventually.ts';
import { type FaultRequest, faultMember, shareOf } from './fault-member.ts';

describe('a check', () => {
  test.each<[unknown, unknown, boolean]>([
    [1, 1, true],
    [1, '1', false],
    [{ a: [1] }, { a: [1] }, true],
    [undefined, null, false],
    ['abc', /^a/, true],
    [7, /7/, false],
    [7, (n: number) => n > 6, true],
    [7, (n: number) => n > 7, false],
  ])('of %j against %j: %j', (actual, expected, held) => {
    expect(holds(actual, expected)).toBe(held);
  });

  test('reports values as JSON of limited length', () => {
    expect([undefined, /a/, 7n, { a: 1 }].map(tell)).toEqual(['(undefined)', '/a/', '7', { a: 1 }]);
    expect(tell('x'.repeat(10_000))).toHaveLength(2_001);
    const circle: { self?: object } = {};
    circle.self = circle;
    expect(tell(circle)).toContain('circular');
  });

  test('records a thrown error', () => {
    const thrown = (run: () => void): unknown => {
      try {
        return run();
      } catch (error) {
        return error;
      }
    };
    expect(lineOf(new Error('oh no'), 'r1')).toEqual({
      check: 'the suite ran to its end',
      passed: false,
      reason: 'oh no',
      requestId: 'r1',
    });
    const named = thrown(() => assert.equal(200, 201, 'created'));
    expect(named).toBeInstanceOf(AssertionError);
    expect(lineOf(named, undefined)).toMatchObject({
      check: 'created',
      expected: 201,
      actual: 200,
    });
    const unnamed = thrown(() => assert.equal(200, 201));
    expect(lineOf(unnamed, undefined).check).toBe('the suite ran to its end');
    expect(lineOf('just words', undefined).reason).toBe('just words');
  });
});

describe('eventually()', () => {
  test('repeats its check until it succeeds', async () => {
    const seen = [0, null, 'now'];
    expect(await eventually(() => seen.shift(), { within: 60_000, every: 1 })).toBe('now');
    const errors = [new Error('not yet'), undefined];
    const look = async () => {
      const error = errors.shift();
      if (error) throw error;
      return true;
    };
    expect(await eventually(look, { within: 60_000, every: 1 })).toBe(true);
  });

  test.each<[string, () => unknown, string]>([
    ['never', () => 0, 'at last it saw 0'],
    ['with an error', () => Promise.reject(new Error('no row')), 'at last no row'],
    ['in a look that hangs', () => new Promise(() => {}), 'the look itself did not end'],
  ])('fails after its time limit: %s', async (_, look, reason) => {
    const waiting = eventually(look, { within: 20, every: 1 });
    await expect(waiting).rejects.toThrow(`within 20 ms it did not come true; at last`);
    await expect(waiting).rejects.toThrow(reason);
  });
});

describe('a fault', () => {
  test.each<[FaultRequest, string]>([
    [{ hop: 'pricing>validation', delayMs: 800 }, 'pricing>validation:delay=800'],
    [{ hop: '*>payments', delayMs: 5, status: 503 }, '*>payments:delay=5+status=503'],
    [{ hop: 'outside>edge', reset: true }, 'outside>edge:reset'],
    [{ hop: 'orders>payments', lost: true }, 'orders>payments:lost'],
    [{ hop: 'a>api.example.com:443', status: 429 }, 'a>api.example.com:443:status=429'],
  ])('%j is requested as %s', (fault, member) => {
    expect(faultMember(fault)).toBe(member);
  });

  test.each<[FaultRequest, string]>([
    [{ hop: 'a>b' }, 'needs delayMs, status, reset or lost'],
    [{ hop: 'b', reset: true }, '"b" is no hop'],
    [{ hop: 'a>b,surety-lane=x', reset: true }, 'is no hop'],
  ])('%j is refused', (fault, reason) => {
    expect(() => faultMember(fault)).toThrow(reason);
  });

  test('affects its share of the requests evenly and repeatably', () => {
    const drawn = (share: number): string => {
      const isNext = shareOf({ hop: 'a>b', share });
      return Array.from({ length: 8 }, () => (isNext() ? 'x' : '.')).join('');
    };
    expect([0, 0.25, 0.5, 1].map(drawn)).toEqual(['........', '...x...x', '.x.x.x.x', 'xxxxxxxx']);
    expect(() => shareOf({ hop: 'a>b', share: 2 })).toThrow('0 to 1');
  });
});
