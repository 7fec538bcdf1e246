import type { Metrics } from '../../shared/metrics.ts';
import type { Quote } from './pricing-client.ts';

/** The regulator's definition, kept here a second time on purpose: an audit needs its own. */
const HIGH_VALUE_THRESHOLD = 10_000;

export interface Audit {
  /** True if validation classified the trade as its quantity and price demand. */
  agrees(quantity: number, quote: Quote): boolean;
  countFailures(reasons: readonly string[]): void;
}

export const MISCLASSIFIED = 'high-value-misclassified';

export function createAudit(metrics: Metrics): Audit {
  const mismatches = metrics.counter(
    'high_value_mismatch_total',
    'Trades whose high-value flag contradicts their quantity and price.',
  );
  const failures = metrics.counter(
    'validation_failures_total',
    'Trades that failed fraud validation, by reason.',
  );
  mismatches.add({}, 0);
  for (const reason of [MISCLASSIFIED, 'blocked-counterparty', 'velocity']) {
    failures.add({ reason }, 0);
  }
  return {
    agrees(quantity, quote) {
      const notional = Math.round(quantity * quote.price * 100) / 100;
      const expected = notional >= HIGH_VALUE_THRESHOLD;
      if (expected !== quote.validation.highValue) mismatches.add();
      return expected === quote.validation.highValue;
    },
    countFailures(reasons) {
      for (const reason of reasons) failures.add({ reason });
    },
  };
}
