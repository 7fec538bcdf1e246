import { describe, expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import { hop } from './recorded.fixture.ts';
import { findShiftedTimes } from './shifted-times.ts';

const hourMs = 3_600_000;
const noon = Date.parse('2026-11-18T12:00:00.000Z');

/** Answers with a time so long after the call, and one that never changes. */
function calls(hours: number, fixed = '1999-12-31T23:59:59.000Z'): Hop[] {
  return [1, 2].map((n) => {
    const at = noon + n * 1_000;
    const createdAt = new Date(at + hours * hourMs).toISOString();
    return hop({ at, responseBody: { order: { createdAt }, since: fixed } });
  });
}

const find = (baseline: Hop[], control: Hop[], candidate: Hop[]): string[] =>
  findShiftedTimes({ baseline, control, candidate }, ({ responseBody }) => responseBody).map(
    ({ field, before, after }) => `${field}: ${before} → ${after}`,
  );

describe('times in answers', () => {
  test('that always were about the time of the call, and now are hours off, are found', () => {
    expect(find(calls(0), calls(0.01), calls(-5))).toEqual([
      'order.createdAt: about the time of the call → 5 hours before the call',
    ]);
    expect(find(calls(0), calls(0), calls(0.2))).toEqual([]);
  });

  test('that never changed, and now are others, are found', () => {
    expect(find(calls(0), calls(0), calls(0, '1999-12-31T18:59:59.000Z'))).toEqual([
      'since: 1999-12-31T23:59:59.000Z → 1999-12-31T18:59:59.000Z',
    ]);
  });

  test('that differ between two known runs as well are noise', () => {
    const [one, other] = [calls(0, '2001-01-01T00:00:00Z'), calls(0, '2002-01-01T00:00:00Z')];
    expect(find(one, other, calls(0))).toEqual([]);
    expect(find(calls(-3), calls(0), calls(-5))).toEqual([]);
  });

  test('are not compared where there are more or fewer of them', () => {
    expect(find(calls(0), calls(0), calls(-5).slice(1))).toEqual([]);
  });
});
