import { describe, expect, test } from 'vitest';
import type { Reach } from '../../lanes/index.ts';
import type { Difference } from '../compare/index.ts';
import type { Check, SuiteRun } from '../suites/run-suite.ts';
import { judge, type Observed } from './verdict.ts';

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

const observed = (more: Partial<Observed>): Observed => ({
  control: [run('passed')],
  candidate: [run('passed')],
  reach,
  hops: [],
  differences: [],
  notices: [],
  doubts: [],
  profile: 'quick',
  signals: [],
  remarks: [],
  undecided: [],
  changed: ['pricing'],
  accuse: ({ service, words }) => [{ file: `${service}.ts`, line: 1, text: [...words] }],
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
describe('a verdict is', () => {
  test.each<[string, Partial<Observed>, string, string]>([
    ['pass when everything held', {}, 'pass', '1 check held'],
    ['fail when a check failed', { candidate: [run('failed')] }, 'fail', '1 check failed'],
    [
      'fail when a type changed, though every check held',
      { differences: [drift] },
      'fail',
      '1 difference',
    ],
    ['fail when calls are repeated', { differences: [repeated] }, 'fail', '1 difference'],
    ['pass when something is only to be told', { notices: [drift] }, 'pass', '1 check held'],
    [
      'inconclusive when something was seen once',
      { doubts: ['orders once had 500'] },
      'inconclusive',
      'orders once had 500',
    ],
    [
      'inconclusive without reach, however green',
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
      'inconclusive when the baseline fails, too',
      { control: [run('failed')], candidate: [run('failed')] },
      'inconclusive',
      'fails on the baseline',
    ],
  ])('%s', (_, more, verdict, reason) => {
    const judged = judge(observed(more));
    expect(judged.verdict).toBe(verdict);
    expect(judged.reason).toContain(reason);
  });

  test('a failed check comes with the path of its request and a way to reproduce it', () => {
    const hop = {
      n: 1,
      requestId: 'req-1',
      from: 'orders',
      to: 'pricing',
      instance: 'pricing/lane_1/run_1',
      served: 'pricing/lane_1/run_1',
      startedAt: 0,
      traceId: 'abc',
      recovered: false,
      escaped: false,
      protocol: 'http1' as const,
      method: 'POST',
      path: '/quotes',
      status: 200,
      requestBody: null,
      responseBody: null,
    };
    const { findings } = judge(observed({ candidate: [run('failed')], hops: [hop] }));
    expect(findings).toEqual([
      expect.objectContaining({
        kind: 'check',
        path: ['orders → pricing (pricing/lane_1/run_1) 200'],
        service: 'pricing',
        traceId: 'abc',
        trace: 'traces abc',
        lines: [{ file: 'pricing.ts', line: 1, text: ['is flagged', '/quotes'] }],
        reproduction: 'run trade-flow',
      }),
    ]);
  });

  test('what services say wrongly is told by hop, part and field; what else differs, by class', () => {
    const { findings } = judge(observed({ differences: [drift, repeated] }));
    expect(findings).toEqual([
      {
        kind: 'wire',
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
