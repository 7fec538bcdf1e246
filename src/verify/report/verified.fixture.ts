import type { Finding, FindingEvidence, VerifiedChange } from '../api-schema.ts';
import type { DifferenceClass } from '../compare/index.ts';

const evidence: FindingEvidence = {
  id: 'fnd_0011223344556677',
  requestId: 'req-1',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  trace: 'surety traces 4bf92f3577b34da6a3ce929d0e0e4736',
  logs: ['orders  trade failed fraud validation req-1'],
  lines: [
    {
      file: 'services/pricing/quote.ts',
      line: 41,
      text: ['-    amount: trade.amount,', '+    amount: format(trade.amount),'],
      likeliest: 1,
    },
  ],
  reproduction: 'surety verify --change chg_6b0c --suite trade-flow',
};

export const wire: Finding = {
  kind: 'wire',
  class: 'contract',
  ...evidence,
  service: 'pricing',
  what: 'type-changed',
  hop: 'pricing → validation POST /validations',
  part: 'request',
  field: 'amount',
  before: 'number',
  after: 'string',
  sampleBefore: 15_000,
  sampleAfter: '15,000.00',
  confidence: 0.9,
};

export function found(kind: DifferenceClass): Finding {
  return {
    kind: 'difference',
    ...evidence,
    class: kind,
    what: 'died',
    service: 'pricing',
    hop: null,
    place: null,
    before: 'runs',
    after: 'it ended with code 1',
    examples: { before: null, after: null },
    confidence: 0.95,
  };
}

/** Everything that comes from outside says this. */
export function checkThatSays(text: string): Finding {
  return {
    kind: 'check',
    ...evidence,
    service: text,
    suite: text,
    check: text,
    expected: text,
    actual: { said: text },
    path: [text],
    logs: [text],
    lines: [{ file: text, line: 1, text: [`+${text}`, `-${text}`], likeliest: 0 }],
    trace: text,
    reproduction: text,
  };
}

export function verified(more: Partial<VerifiedChange> = {}): VerifiedChange {
  return {
    id: 'verdict_01',
    change: 'chg_6b0c',
    base: '0123456789abcdef0123456789abcdef01234567',
    services: ['pricing'],
    verdict: 'fail',
    reason: '1 check failed, 1 difference confirmed',
    findings: [wire],
    findingsOmitted: 0,
    notices: ['field-new by pricing: orders → pricing POST /quotes, response note: string'],
    reach: {
      proven: true,
      reason: null,
      candidates: [{ service: 'pricing', instance: 'pricing/lane_1/run_1', sent: 12, served: 12 }],
      hops: 60,
      silent: [],
      lost: [],
    },
    calls: [
      { from: 'outside', to: 'edge', count: 12, failed: 0 },
      { from: 'edge', to: 'orders', count: 12, failed: 0 },
      { from: 'orders', to: 'pricing', count: 12, failed: 0 },
      { from: 'pricing', to: 'validation', count: 12, failed: 2 },
      { from: 'orders', to: 'audit', count: 24, failed: 0 },
    ],
    checks: { passed: 9, failed: 1 },
    profile: 'quick',
    calibration: null,
    signals: [
      signal('pricing', 'CPU µs per request', [1.31, 1.22, 1.4], 'worse'),
      signal('pricing', 'latency ms', [1.02, 0.95, 1.11], 'not-worse'),
      signal('orders', 'latency ms', [1.2, 0.8, null], 'inconclusive'),
      { ...signal('pricing', 'errors', [1, 1, 1], 'worse'), ratio: null, before: 0, after: 3 },
    ],
    ...more,
  };
}

type Signal = VerifiedChange['signals'][number];

function signal(
  service: string,
  name: string,
  [ratio, low, high]: readonly [number, number, number | null],
  verdict: Signal['verdict'],
): Signal {
  return {
    service,
    signal: name,
    verdict,
    before: 100,
    after: Math.round(100 * ratio),
    ratio,
    interval: { low, high },
    pairs: 50,
    starts: 1,
    pairsNeeded: verdict === 'inconclusive' ? 120 : null,
  };
}
