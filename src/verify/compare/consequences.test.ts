import { describe, expect, test } from 'vitest';
import { withoutConsequences } from './consequences.ts';
import type { Difference } from './difference.ts';

const found = (service: string, what: string, more: Partial<Difference> = {}): Difference => ({
  class: 'contract',
  what,
  service,
  hop: null,
  place: 'response isHigh',
  before: 'true',
  after: 'false',
  examples: { before: null, after: null },
  severity: 'fail',
  confidence: 1,
  ...more,
});

const failing = (...differences: Difference[]): string[] =>
  withoutConsequences(differences, ['pricing'])
    .filter(({ severity }) => severity === 'fail')
    .map(({ service, what, place }) => `${service} ${what} ${place}`);

describe('changed values', () => {
  const own = found('pricing', 'value-changed');

  test('are notices if a changed service shows another failure', () => {
    const cause = found('pricing', 'type-changed');
    expect(failing(cause, own, found('orders', 'value-changed'))).toEqual([
      'pricing type-changed response isHigh',
    ]);
    const elsewhere = found('orders', 'status-worse', { class: 'status' });
    expect(failing(own, elsewhere)).toHaveLength(2);
  });

  test('fail once each, at the changed service where they first occur', () => {
    const passedOn = found('pricing', 'value-changed', { place: 'response quote.isHigh' });
    const other = found('pricing', 'value-changed', { place: 'response fee', before: '2' });
    expect(failing(own, passedOn, other, found('edge', 'value-changed'))).toEqual([
      'pricing value-changed response isHigh',
      'pricing value-changed response fee',
    ]);
  });

  test('fail at other services if no changed service has any', () => {
    expect(failing(found('orders', 'value-changed'))).toHaveLength(1);
  });
});
