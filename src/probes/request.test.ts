import { describe, expect, test } from 'vitest';
import { predictCost } from './cost.ts';
import { probeLimits } from './limits.ts';
import { checkRequest, type ProbeRequest } from './request.ts';

const request: ProbeRequest = { pid: 1, file: '/app.ts', line: 1, expressions: ['a'] };
const expressions = (count: number): string[] => Array.from({ length: count }, (_, i) => `a${i}`);

describe('a probe request', () => {
  test('gets default limits', () => {
    expect(checkRequest(request)).toMatchObject({ hitsMax: 20, ttlMs: 60_000 });
  });

  test.each<[string, Partial<ProbeRequest>, Partial<ProbeRequest>]>([
    ['pid', { pid: 1 }, { pid: 0 }],
    ['line', { line: 1 }, { line: 0 }],
    ['line', { line: 2 }, { line: 1.5 }],
    ['file', { file: 'a' }, { file: '' }],
    ['hitsMax', { hitsMax: 1 }, { hitsMax: 0 }],
    ['hitsMax', { hitsMax: probeLimits.probeHitsMax }, { hitsMax: probeLimits.probeHitsMax + 1 }],
    ['ttlMs', { ttlMs: probeLimits.probeTtlMsMax }, { ttlMs: probeLimits.probeTtlMsMax + 1 }],
    ['ttlMs', { ttlMs: 1 }, { ttlMs: Number.NaN }],
    ['the number of expressions', { expressions: ['a'] }, { expressions: [] }],
    [
      'the number of expressions',
      { expressions: expressions(probeLimits.probeExpressionsMax) },
      { expressions: expressions(probeLimits.probeExpressionsMax + 1) },
    ],
  ])('is accepted up to the limit of %s and refused beyond it', (field, good, bad) => {
    expect(checkRequest({ ...request, ...good })).toMatchObject({ pid: expect.any(Number) });
    expect(() => checkRequest({ ...request, ...bad })).toThrow(
      expect.objectContaining({
        code: 'PROBE_REQUEST_INVALID',
        values: expect.objectContaining({ field }),
      }),
    );
  });

  test('is refused if any of its expressions is refused', () => {
    for (const bad of [{ expressions: ['a', 'f()'] }, { condition: 'f()' }, { requestId: 'f()' }]) {
      expect(() => checkRequest({ ...request, ...bad })).toThrow(/could change the process/);
    }
  });

  test('reads each expression once', () => {
    const { expressions } = checkRequest({ ...request, expressions: ['a', 'b', 'a'] });
    expect(expressions.map(({ text }) => text)).toEqual(['a', 'b']);
  });
});

describe('the cost of a probe', () => {
  test('is known before the process is touched and grows with the expressions', () => {
    const one = predictCost({ ...request, hitsMax: 7 });
    const three = predictCost({ ...request, expressions: ['a', 'b'], condition: 'c' });
    expect(one).toEqual({
      enableMsEstimate: expect.any(Number),
      perHitMsEstimate: expect.any(Number),
      hitsMax: 7,
    });
    expect(three.perHitMsEstimate).toBeGreaterThan(one.perHitMsEstimate);
  });
});
