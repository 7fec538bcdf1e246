import { describe, expect, test } from 'vitest';
import { limits } from '../kernel/index.ts';
import { boundVerdict } from './bounded-verdict.ts';
import type { Finding } from './finding.ts';
import type { Verdict } from './verdict.ts';

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

const sizeOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));

describe('a verdict', () => {
  test('of a few findings is told whole, with long values cut', () => {
    const [first] = boundVerdict(verdict([finding('a', ['l1', 'l2'])])).findings;
    expect(first).toMatchObject({ logs: ['l1', 'l2'], actual: expect.stringMatching(/^x{240}…$/) });
  });

  test.each([10, 100, 1_000])('of %i findings fits, and keeps the first of them', (count) => {
    const logs = Array<string>(50).fill('ü'.repeat(500));
    const all = Array.from({ length: count }, (_, index) => finding(`check ${index}`, logs));
    const bound = boundVerdict(verdict(all));
    expect(sizeOf(bound)).toBeLessThanOrEqual(limits.verdictBytesMax);
    expect(bound.findings[0]).toMatchObject({ check: 'check 0' });
    expect(bound.findings.length + bound.findingsOmitted).toBe(count);
  });

  test('rather leaves out the last findings than what services said about the first', () => {
    const logs = Array.from({ length: 12 }, (_, line) => `${line} ${'l'.repeat(150)}`);
    const all = Array.from({ length: 20 }, (_, index) => finding(`check ${index}`, logs));
    const { findings, findingsOmitted } = boundVerdict(verdict(all));
    expect(findings.map((one) => one.logs.length).slice(0, 4)).toEqual([8, 8, 2, 2]);
    expect(findingsOmitted).toBeGreaterThan(0);
  });

  test('may have as many bytes as it may, and not one more', () => {
    const room = limits.verdictBytesMax - sizeOf(boundVerdict(verdict([finding('a')], '')));
    const full = boundVerdict(verdict([finding('a')], 'y'.repeat(room)));
    expect([sizeOf(full), full.findingsOmitted]).toEqual([limits.verdictBytesMax, 0]);
    expect(boundVerdict(verdict([finding('a')], 'y'.repeat(room + 1))).findingsOmitted).toBe(1);
  });
});
