import { describe, expect, test } from 'vitest';
import type { ProbeKind } from './api-schema.ts';
import { predictCost } from './cost.ts';
import { probeLimits } from './limits.ts';
import { checkRequest, type ProbeRequest } from './request.ts';

const request: ProbeRequest = { pids: [1], file: '/app.ts', line: 1, expressions: ['a'] };
const expressions = (count: number): string[] => Array.from({ length: count }, (_, i) => `a${i}`);

describe('a probe request', () => {
  test('groups by nothing that may be a secret', () => {
    const types = { ...request, kind: 'types' } as const;
    expect(() => checkRequest({ ...types, expressions: ['a', 'user.token'] })).toThrow(/secret/);
    expect(checkRequest({ ...types, expressions: ['a', 'user.name'] })).toBeDefined();
  });

  test('gets default limits', () => {
    expect(checkRequest(request)).toMatchObject({
      instrument: { kind: 'snapshot', hitsMax: 1_000, sampleRate: 1 },
      ttlMs: 600_000,
    });
  });

  test.each<[string, Partial<ProbeRequest>, Partial<ProbeRequest>]>([
    ['pid', { pids: [1] }, { pids: [0] }],
    ['pids', { pids: [1] }, { pids: [] }],
    ['line', { line: 1 }, { line: 0 }],
    ['line', { line: 2 }, { line: 1.5 }],
    ['line', { line: 2 }, { function: 'f' }],
    ['file', { file: 'a' }, { file: '' }],
    ['hitsMax', { hitsMax: 1 }, { hitsMax: 0 }],
    ['hitsMax', { hitsMax: probeLimits.probeHitsMax }, { hitsMax: probeLimits.probeHitsMax + 1 }],
    ['ttlMs', { ttlMs: probeLimits.probeTtlMsMax }, { ttlMs: probeLimits.probeTtlMsMax + 1 }],
    ['ttlMs', { ttlMs: 1 }, { ttlMs: Number.NaN }],
    ['sampleRate', { sampleRate: 1 }, { sampleRate: 1.1 }],
    ['sampleRate', { sampleRate: 0.001 }, { sampleRate: 0 }],
    ['toLine', { kind: 'duration', expressions: [], toLine: 3 }, { toLine: 3 }],
    ['template', {}, { kind: 'log' }],
    ['template', {}, { template: 'a', kind: 'counter' }],
    [
      'the number of expressions of a snapshot',
      { expressions: expressions(probeLimits.probeExpressionsMax) },
      { expressions: expressions(probeLimits.probeExpressionsMax + 1) },
    ],
  ])('is accepted up to the limit of %s and refused beyond it', (field, good, bad) => {
    expect(checkRequest({ ...request, ...good })).toMatchObject({ pids: [1] });
    expect(() => checkRequest({ ...request, ...bad })).toThrow(
      expect.objectContaining({
        code: 'PROBE_REQUEST_INVALID',
        values: expect.objectContaining({ field }),
      }),
    );
  });

  test.each<[ProbeKind, number, number]>([
    ['counter', 0, 1],
    ['branch', 0, 1],
    ['duration', 0, 1],
    ['metric', 1, 2],
    ['types', 2, 3],
  ])('of the kind %s takes %i expressions, and not %i', (kind, good, bad) => {
    expect(checkRequest({ ...request, kind, expressions: expressions(good) })).toBeDefined();
    expect(() => checkRequest({ ...request, kind, expressions: expressions(bad) })).toThrow(
      /expressions/,
    );
  });

  test('is refused if any of its expressions is refused', () => {
    const template = { template: 'x={f()}', expressions: [] };
    for (const bad of [
      { expressions: ['a', 'f()'] },
      { condition: 'f()' },
      { requestId: 'f()' },
      template,
    ]) {
      expect(() => checkRequest({ ...request, ...bad })).toThrow(/could change the process/);
    }
  });

  test('reads each expression once', () => {
    const { instrument } = checkRequest({ ...request, expressions: ['a', 'b', 'a'] });
    expect(instrument.expressions.map(({ text }) => text)).toEqual(['a', 'b']);
  });

  test('refuses a metric of a secret', () => {
    const metric = { ...request, kind: 'metric' as const };
    expect(() => checkRequest({ ...metric, expressions: ['user.password'] })).toThrow(/secret/);
  });

  test('refuses types that are grouped by a secret, or tell one', () => {
    const types = (...expressions: string[]) =>
      checkRequest({ ...request, kind: 'types', expressions }).instrument.expressions.length;
    expect(types('user.password')).toBe(1);
    expect(types('user.password', 'user.name')).toBe(2);
    expect(() => types('user.name', 'user.password')).toThrow(/secret/);
    expect(() => types('password.startsWith("a") ? 1 : ""')).toThrow(/secret/);
  });
});

describe('a log template', () => {
  const log = (template: string) =>
    checkRequest({ pids: [1], file: 'a', line: 1, template }).instrument;

  test('has texts and expressions, with braces inside of them', () => {
    const { template, expressions } = log('a={a} {{x}} {({ b }).b}');
    expect(template).toEqual(['a=', 0, ' {x} ', 1]);
    expect(expressions.map(({ text }) => text)).toEqual(['a', '({ b }).b']);
  });

  test.each(['{a', 'a}', '{}', '{a b}'])('%s is refused', (template) => {
    expect(() => log(template)).toThrow(
      expect.objectContaining({ code: 'PROBE_EXPRESSION_INVALID' }),
    );
  });

  test('may be as long as the limit', () => {
    expect(log('x'.repeat(probeLimits.probeTemplateCharsMax)).template).toHaveLength(1);
    expect(() => log('x'.repeat(probeLimits.probeTemplateCharsMax + 1))).toThrow(/longer than/);
  });
});

test('the predicted cost grows with expressions, scripts and the size of the script', () => {
  const script = { id: '1', path: '/a', hash: '', lines: 1, chars: 1_000, map: '', isModule: true };
  const one = predictCost(checkRequest(request).instrument, { scripts: 130, script });
  const more = checkRequest({ ...request, expressions: ['a', 'b'] }).instrument;
  const two = predictCost(more, { scripts: 600, script });
  const bundle = { ...script, chars: 1_750_000 };
  expect(two.perHitMs).toBeGreaterThan(one.perHitMs);
  expect(two.attachMs).toBeGreaterThan(one.attachMs);
  expect(predictCost(more, { scripts: 600, script: bundle }).attachMs).toBeGreaterThan(
    two.attachMs,
  );
});
