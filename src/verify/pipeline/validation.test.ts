import { describe, expect, test } from 'vitest';
import { checkThatSays, found, verified, wire } from '../report/verified.fixture.ts';
import { validationOf } from './validation.ts';

const failed = checkThatSays('is flagged');
const held = { passed: 1, failed: 0 };
const broke = { passed: 1, failed: 1 };
const none = { passed: 0, failed: 0 };
const passed = { verdict: 'pass', findings: [] } as const;

describe('the two results for a harness', () => {
  test.each([
    ['a pass', verified({ verdict: 'pass', findings: [], checks: held }), true, true],
    ['a failed check', verified({ findings: [failed], checks: broke }), false, true],
    ['a difference', verified({ findings: [wire], checks: held }), true, false],
    ['both', verified({ findings: [wire, failed], checks: broke }), false, false],
    [
      'a service that does not start',
      verified({ findings: [found('start')], checks: none }),
      false,
      false,
    ],
    ['a pass with a disputed check', verified({ ...passed, checks: broke }), true, true],
    ['a pass that affects no service', verified({ ...passed, checks: none }), true, true],
    ['findings that did not fit', verified({ findings: [], checks: held }), true, false],
    [
      'an inconclusive verdict',
      verified({ verdict: 'inconclusive', findings: [], checks: held }),
      false,
      false,
    ],
  ])('are right for %s', (_, verdict, tests, metrics) => {
    const told = validationOf(verdict, []);
    expect([told.tests_passed, told.metrics_acceptable]).toEqual([tests, metrics]);
  });

  test('come with failed tests, worse metrics and the last hundred error lines', () => {
    const lines = Array.from({ length: 150 }, (_, n) => ({
      service: 'orders',
      text: `Error: no ${n}`,
    }));
    const quiet = { service: 'orders', text: 'all is well' };
    const told = validationOf(verified({ findings: [failed, wire] }), [...lines, quiet]);
    expect(told.failed_tests).toMatchObject([{ test: 'is flagged' }]);
    expect(told.degraded_metrics).toMatchObject([
      { service: 'pricing', metric: 'contract type-changed' },
    ]);
    expect(told.error_logs).toHaveLength(100);
    expect(told.error_logs).toContain('orders  Error: no 149');
    expect(told.error_logs).not.toContain('orders  all is well');
  });
});
