import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../kernel/index.ts';
import type { Reach } from '../../lanes/index.ts';
import { ledgerLimits } from '../../ledger/limits.ts';
import type { Dispute, SuiteRun } from '../api-schema.ts';
import type { Difference } from '../compare/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { verifyLimits } from '../limits.ts';
import type { ChangeCoverage } from '../line-coverage/api-schema.ts';
import type { Check } from '../suites/run-suite.ts';
import type { Evidence } from './evidence.ts';
import { judge } from './verdict.ts';

const check = (passed: boolean): Check => ({
  check: 'is flagged',
  passed,
  expected: true,
  actual: passed,
  requestId: 'req-1',
});

const run = (result: SuiteRun['result'], checks = [check(result === 'passed')]): SuiteRun => ({
  suite: 'trade-flow',
  result,
  checks,
  reason: result === 'broken' ? 'it ended with 2' : null,
});

const reach: Reach = {
  proven: true,
  reason: null,
  candidates: [],
  hops: 3,
  silent: [],
  lost: [],
};

const evidence = (more: Partial<Evidence>): Evidence => ({
  control: [run('passed')],
  candidate: [run('passed')],
  reach,
  hops: [],
  logs: new Set(),
  differences: [],
  notices: [],
  doubts: [],
  profile: 'quick',
  signals: [],
  remarks: [],
  undecided: [],
  changed: ['pricing'],
  findLines: ({ service, words }) => [
    { file: `${service}.ts`, line: 1, text: [...words], likeliest: 0 },
  ],
  reproduce: (suite) => `run ${suite}`,
  showTrace: (traceId) => `traces ${traceId}`,
  ...more,
});

const drift: Difference = {
  class: 'contract',
  what: 'type-changed',
  service: 'pricing',
  hop: 'pricing → validation POST /validations',
  place: 'request amount',
  before: 'number',
  after: 'string',
  examples: { before: 1, after: '1' },
  severity: 'fail',
  confidence: 0.9,
};

const repeated: Difference = { ...drift, class: 'calls', what: 'call-repeated', place: null };

// proves: verify.inconclusive
describe('a verdict', () => {
  test.each<[string, Partial<Evidence>, string, string]>([
    ['pass when every check passed', {}, 'pass', '1 check passed'],
    ['fail when a check failed', { candidate: [run('failed')] }, 'fail', '1 check failed'],
    [
      'fail when a type changed, though every check passed',
      { differences: [drift] },
      'fail',
      '1 difference',
    ],
    ['fail when calls are repeated', { differences: [repeated] }, 'fail', '1 difference'],
    ['pass when there is only a notice', { notices: [drift] }, 'pass', '1 check passed'],
    [
      'inconclusive when something was seen in one round only',
      { doubts: ['orders had 500 in one round only'] },
      'inconclusive',
      'orders had 500 in one round only',
    ],
    [
      'inconclusive without reach, even if every check passed',
      { reach: { ...reach, proven: false, reason: 'orders dropped it' } },
      'inconclusive',
      'did not reach the changed services: orders dropped it',
    ],
    ['inconclusive without a suite', { control: [], candidate: [] }, 'inconclusive', 'no suite'],
    [
      'inconclusive when a suite broke',
      { candidate: [run('broken')] },
      'inconclusive',
      'ended with 2',
    ],
    [
      'inconclusive when the baseline also fails',
      { control: [run('failed')], candidate: [run('failed')] },
      'inconclusive',
      'also fails on the baseline',
    ],
  ])('is %s', (_, more, verdict, reason) => {
    const judged = judge(evidence(more));
    expect(judged.verdict).toBe(verdict);
    expect(judged.reason).toContain(reason);
  });

  // proves: verify.distinguished
  test('names changed code that ran and that nothing tells from the baseline', () => {
    const coverage: ChangeCoverage = {
      status: 'executed',
      lines: 1,
      ran: 1,
      unexecuted: [],
      unexecutedOmitted: 0,
      places: ['pricing.ts:12'],
      unknown: [],
      data: [],
    };
    const tells = (more: Partial<Evidence>): boolean =>
      judge(evidence({ coverage, ...more })).notices.some((notice) =>
        notice.includes('tells this change from the baseline: pricing.ts:12'),
      );
    expect(tells({})).toBe(true);
    expect(tells({ notices: [drift] })).toBe(false);
    expect(tells({ isTested: true })).toBe(false);
    expect(tells({ differences: [drift] })).toBe(false);
    const demanding = { coverage, undistinguished: 'inconclusive' } as const;
    expect(judge(evidence({ coverage })).verdict).toBe('pass');
    expect(judge(evidence(demanding))).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('tells this change from the baseline: pricing.ts:12'),
    });
    expect(judge(evidence({ ...demanding, isTested: true })).verdict).toBe('pass');
  });

  test('has, for a failed check, the path of its request and a command to reproduce it', () => {
    const instance = 'pricing/lane_1/run_1';
    const quote = { from: 'orders', to: 'pricing', instance, served: instance, path: '/quotes' };
    const failing = hop({ ...quote, requestId: 'req-1', traceId: 'abc' });
    const { findings } = judge(evidence({ candidate: [run('failed')], hops: [failing] }));
    expect(findings).toEqual([
      expect.objectContaining({
        kind: 'check',
        path: ['orders → pricing (pricing/lane_1/run_1) 200'],
        service: 'pricing',
        traceId: 'abc',
        trace: 'traces abc',
        lines: [{ file: 'pricing.ts', line: 1, text: ['is flagged', '/quotes'], likeliest: 0 }],
        reproduction: 'run trade-flow',
      }),
    ]);
  });

  test('has a contract difference with hop, part and field, and any other with its class', () => {
    const { findings } = judge(evidence({ differences: [drift, repeated] }));
    expect(findings).toEqual([
      {
        kind: 'wire',
        class: 'contract',
        service: 'pricing',
        what: 'type-changed',
        hop: 'pricing → validation POST /validations',
        part: 'request',
        field: 'amount',
        before: 'number',
        after: 'string',
        sampleBefore: 1,
        sampleAfter: '1',
        confidence: 0.9,
        id: expect.stringMatching(/^fnd_[0-9a-f]{16}$/),
        requestId: null,
        traceId: null,
        trace: null,
        logs: [],
        lines: [expect.objectContaining({ file: 'pricing.ts' })],
        reproduction: 'run trade-flow',
      },
      expect.objectContaining({ kind: 'difference', class: 'calls', what: 'call-repeated' }),
    ]);
  });
});

describe('disputes', () => {
  const dispute = (finding: string): Dispute => ({
    finding,
    owner: 'person:ada',
    reason: 'it is never read',
    until: Date.parse('2030-01-02'),
  });
  const marked = (finding: string): Difference => ({
    ...drift,
    severity: 'notice',
    disputed: dispute(finding),
  });

  test('are named in the verdict, with owner and expiry', () => {
    const failed = { ...check(false), disputed: dispute('fnd_2') };
    const candidate = [run('passed', [check(true), failed])];
    const verdict = judge(evidence({ notices: [marked('fnd_1'), marked('fnd_1')], candidate }));
    expect(verdict).toMatchObject({
      verdict: 'pass',
      reason: expect.stringContaining(
        'all findings (2) are disputed or intended, so none counts; ',
      ),
      findings: [],
      checks: { passed: 1, failed: 0 },
      disputed: [dispute('fnd_1'), dispute('fnd_2')],
    });
    expect(verdict.notices).toEqual([
      'fnd_1 is disputed by person:ada until 2030-01-02: it is never read',
      'fnd_2 is disputed by person:ada until 2030-01-02: it is never read',
    ]);
  });

  test.each([
    ['inconclusive', { doubts: ['as it was'] }],
    ['fail', { differences: [drift] }],
  ] as const)('do not turn %s into a pass', (expected, more) => {
    const undisputed = judge(evidence(more));
    const verdict = judge(evidence({ ...more, notices: [marked('fnd_1')] }));
    expect(verdict).toMatchObject({ verdict: expected, reason: undisputed.reason });
    expect(verdict.disputed).toEqual([dispute('fnd_1')]);
    expect(undisputed.disputed).toBeUndefined();
  });

  test.each([
    ['a pass that names all', 21, 'pass'],
    ['a pass that names all', verifyLimits.verdictDisputesMax, 'pass'],
    ['no pass', verifyLimits.verdictDisputesMax + 1, 'inconclusive'],
  ])('give %s for %i disputed findings, and an entry can hold their ids', (_, count, expected) => {
    const ids = Array.from({ length: count }, (_, n) => `fnd_${String(n).padStart(16, '0')}`);
    const { verdict, disputed = [] } = judge(evidence({ notices: ids.map(marked) }));
    expect(verdict).toBe(expected);
    const named = disputed.map(({ finding }) => finding);
    expect(named).toEqual(ids.slice(0, verifyLimits.verdictDisputesMax));
    expect(canonicalJson(named).length).toBeLessThan(ledgerLimits.bodyBytesMax / 4);
  });
});
