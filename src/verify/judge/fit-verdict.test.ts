import { describe, expect, test } from 'vitest';
import type { Finding, ServiceSignal, Verdict } from '../api-schema.ts';
import { verifyLimits } from '../limits.ts';
import { boundVerdict } from './fit-verdict.ts';

const finding = (check: string, logs: string[] = []): Finding => ({
  kind: 'check',
  id: 'fnd_1',
  service: null,
  traceId: null,
  trace: null,
  lines: [],
  suite: 'flow',
  check,
  expected: true,
  actual: 'x'.repeat(1_000),
  requestId: null,
  path: [],
  logs,
  reproduction: 'surety verify --change chg_1 --suite flow',
});

const verdict = (findings: Finding[], reason = 'why'): Verdict => ({
  verdict: 'fail',
  reason,
  findings,
  findingsOmitted: 0,
  notices: Array<string>(99).fill('n'.repeat(999)),
  reach: { proven: true, reason: null, candidates: [], hops: 0, silent: [], lost: [] },
  calls: [],
  checks: { passed: 0, failed: findings.length },
  profile: 'quick',
  signals: [],
});

const signal = (service: string): ServiceSignal => ({
  service,
  signal: 'downstream-calls',
  verdict: 'not-worse',
  before: 1_234.5,
  after: 1_234.5,
  ratio: 1.000_123_4,
  interval: { low: 0.987_654_3, high: 1.012_345_6 },
  pairs: 60,
  starts: 1,
  pairsNeeded: null,
});

const sizeOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));

describe('a verdict', () => {
  test('with a few findings keeps all of them, with long values cut', () => {
    const [first] = boundVerdict(verdict([finding('a', ['l1', 'l2'])])).findings;
    expect(first).toMatchObject({ logs: ['l1', 'l2'], actual: expect.stringMatching(/^x{240}…$/) });
  });

  test.each([10, 100, 1_000])('with %i findings fits, and keeps the first', (count) => {
    const logs = Array<string>(50).fill('ü'.repeat(500));
    const all = Array.from({ length: count }, (_, index) => finding(`check ${index}`, logs));
    const bound = boundVerdict(verdict(all));
    expect(sizeOf(bound)).toBeLessThanOrEqual(verifyLimits.verdictBytesMax);
    expect(bound.findings[0]).toMatchObject({ check: 'check 0' });
    expect(bound.findings.length + bound.findingsOmitted).toBe(count);
  });

  test('drops the last findings before the logs of the first', () => {
    const logs = Array.from({ length: 12 }, (_, line) => `${line} ${'l'.repeat(150)}`);
    const all = Array.from({ length: 20 }, (_, index) => finding(`check ${index}`, logs));
    const { findings, findingsOmitted } = boundVerdict(verdict(all));
    expect(findings.map((one) => one.logs.length).slice(0, 4)).toEqual([8, 8, 2, 2]);
    expect(findingsOmitted).toBeGreaterThan(0);
  });

  test('fits at exactly the limit of bytes, and not above', () => {
    const padded = (bytes: number) =>
      verdict([finding('a'), { ...finding('b'), reproduction: 'y'.repeat(bytes) }]);
    const room = verifyLimits.verdictBytesMax - sizeOf(boundVerdict(padded(0)));
    const full = boundVerdict(padded(room));
    expect([sizeOf(full), full.findingsOmitted]).toEqual([verifyLimits.verdictBytesMax, 0]);
    expect(boundVerdict(padded(room + 1)).findingsOmitted).toBe(1);
  });

  test.each([5, 12, 15, 200])('with %i changed services fits, and keeps its finding', (count) => {
    const names = Array.from({ length: count }, (_, index) => `a-service-of-some-name-${index}`);
    const signals = names.flatMap((service) => Array<ServiceSignal>(6).fill(signal(service)));
    const worse = { ...signal('pricing'), verdict: 'worse' as const };
    const bound = boundVerdict({
      ...verdict([finding('a')]),
      signals: [...signals, worse],
      calls: names.map((to) => ({ from: 'orders', to, count: 1, failed: 0 })),
      reach: {
        ...verdict([]).reach,
        candidates: names.map((service) => ({ service, instance: service, sent: 1, served: 1 })),
      },
    });
    expect(sizeOf(bound)).toBeLessThanOrEqual(verifyLimits.verdictBytesMax);
    expect(bound.findings).toHaveLength(1);
    expect(bound.signals[0]?.verdict).toBe('worse');
    expect(bound.notices[0]).toContain('more signals are left out');
  });

  test('with very long texts fits, and keeps its finding', () => {
    const endless = 'ü'.repeat(100_000);
    const all = [{ ...finding(endless, Array<string>(50).fill(endless)), path: [endless] }];
    const bound = boundVerdict({
      ...verdict(all, endless),
      notices: Array<string>(50).fill(endless),
    });
    expect(sizeOf(bound)).toBeLessThanOrEqual(verifyLimits.verdictBytesMax);
    expect([bound.findings.length, bound.findingsOmitted]).toEqual([1, 0]);
  });

  test.each(['x', 'ü', '\u0000', '"'])('with very long texts of %j fits', (letter) => {
    const endless = letter.repeat(2_000);
    const many = Array.from({ length: 30 }, (_, n) => `${endless}${n}`);
    const found = {
      ...finding(endless, many),
      ...{ service: endless, suite: endless, trace: endless, reproduction: endless },
      ...{ requestId: endless, traceId: endless },
      lines: many.map((file) => ({ file, line: 1, text: many, likeliest: 0 })),
    };
    const base = 'a'.repeat(40);
    const bound = boundVerdict({
      ...verdict([found, finding('b')], endless),
      ...{ services: many, base },
      disputed: many.map((owner) => ({ finding: 'fnd_1', owner, reason: endless, until: 1 })),
      signals: many.map(signal),
      calls: many.map((to) => ({ from: endless, to, count: 1, failed: 0 })),
      reach: {
        ...verdict([]).reach,
        reason: endless,
        candidates: many.map((service) => ({ service, instance: service, sent: 1, served: 1 })),
        silent: many,
      },
    });
    expect(sizeOf(bound)).toBeLessThanOrEqual(verifyLimits.verdictBytesMax);
    expect([bound.findings.length, bound.findingsOmitted]).toEqual([1, 1]);
    expect(bound).toMatchObject({ base, findings: [{ id: 'fnd_1' }] });
  });
});
