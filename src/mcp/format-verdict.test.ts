import { describe, expect, test } from 'vitest';
import type { OperationResponse } from '../http/index.ts';
import { formatVerdict } from './format-verdict.ts';
import { mcpLimits } from './limits.ts';

type Verdict = OperationResponse<'POST /v1/tasks/{task}/verify'>;
type Finding = Verdict['findings'][number];

const evidence = {
  id: 'fnd_1',
  requestId: null,
  traceId: null,
  trace: null,
  logs: [],
  lines: [],
  reproduction: 'surety verify --change chg_1 --suite trade-flow',
};

const check = (name: string, actual: string = 'no'): Finding => ({
  ...evidence,
  kind: 'check',
  service: 'pricing',
  suite: 'trade-flow',
  check: name,
  expected: 'yes',
  actual,
  requestId: 'req-1',
  path: ['outside → edge (baseline) 201'],
  logs: ['orders  trade failed'],
});

const wire: Finding = {
  ...evidence,
  kind: 'wire',
  class: 'contract',
  service: 'pricing',
  what: 'type-changed',
  confidence: 0.9,
  lines: [
    {
      file: 'pricing.ts',
      line: 7,
      text: ['-amount', '+String(amount)'],
      likeliest: 1,
    },
  ],
  hop: 'pricing → validation POST /validations',
  part: 'request',
  field: 'amount',
  before: 'number',
  after: 'string',
  sampleBefore: 15_000,
  sampleAfter: '15,000.00',
};

const difference: Finding = {
  ...evidence,
  kind: 'difference',
  class: 'calls',
  what: 'call-repeated',
  service: 'orders',
  hop: 'orders → fees POST /fees',
  place: null,
  before: '1 times',
  after: '6 times',
  examples: { before: '/fees', after: 'x'.repeat(9_999) },
  confidence: 0.9,
};

const verdict = (findings: Finding[]): Verdict => ({
  id: 'verdict_1',
  change: 'change_1',
  base: 'abc',
  services: ['pricing'],
  verdict: findings.length > 0 ? 'fail' : 'pass',
  reason: 'this was seen',
  findings,
  findingsOmitted: 0,
  notices: [],
  reach: { proven: true, reason: null, candidates: [], hops: 4, silent: [], lost: [] },
  calls: [],
  profile: 'quick',
  calibration: null,
  signals: [],
  checks: { passed: 1, failed: findings.length },
});

const many = (count: number) => Array.from({ length: count }, (_, index) => check(`c${index}`));

describe('formatVerdict', () => {
  test('shows the expected value, the actual value and the next step', () => {
    const { text, value } = formatVerdict(verdict([check('it is flagged'), wire]));
    expect(text.split('\n')).toEqual([
      'Verdict: fail. this was seen.',
      '- check: trade-flow: it is flagged: expected "yes", got "no"',
      '- wire: pricing → validation POST /validations, request field amount: number → string (15000 became "15,000.00")',
      '  likely cause pricing.ts:7: +String(amount)',
      'Next: repair what the findings name, then propose_change.',
    ]);
    expect(value).toEqual({ ...verdict([check('it is flagged'), wire]), findingsOmitted: 0 });
    expect(formatVerdict(verdict([])).text).toContain('Next: promote_change.');
  });

  test('shows other differences, with their examples cut', () => {
    const { text, value } = formatVerdict({ ...verdict([difference]), findingsOmitted: 3 });
    expect(text).toContain(
      '- calls: call-repeated by orders: orders → fees POST /fees: 1 times → 6 times',
    );
    expect(text).toContain('… and 3 more findings.');
    expect(JSON.stringify(value).length).toBeLessThan(5_000);
  });

  test.each([
    [mcpLimits.mcpFindingsMax, mcpLimits.mcpFindingsMax, 0],
    [mcpLimits.mcpFindingsMax + 1, mcpLimits.mcpFindingsMax, 1],
    [500, mcpLimits.mcpFindingsMax, 500 - mcpLimits.mcpFindingsMax],
  ])('of %i findings shows %i and counts %i more', (count, shown, omitted) => {
    const { text, value } = formatVerdict(verdict(many(count)));
    expect(value).toMatchObject({ findingsOmitted: omitted });
    expect((value as Verdict).findings).toHaveLength(shown);
    expect(text.includes(`… and ${omitted} more findings.`)).toBe(omitted > 0);
  });

  test.each([
    [mcpLimits.mcpValueCharsMax - 2, false],
    [mcpLimits.mcpValueCharsMax - 1, true],
  ])('shortens long values: %i characters, cut: %s', (length, cut) => {
    const long = 'x'.repeat(length);
    const [finding] = (formatVerdict(verdict([check('long', long)])).value as Verdict).findings;
    expect(finding).toMatchObject({ actual: cut ? expect.stringContaining('… (') : long });
  });

  test('limits the size, however many findings there are', () => {
    const huge = { ...check('huge', 'x'.repeat(100_000)), path: Array(9_999).fill('y') } as Finding;
    const logs = Array<string>(9_999).fill('z'.repeat(9_999));
    const formatted = formatVerdict(
      verdict(Array<Finding>(1_000).fill({ ...huge, logs } as Finding)),
    );
    expect(JSON.stringify(formatted).length).toBeLessThan(500_000);
  });
});
