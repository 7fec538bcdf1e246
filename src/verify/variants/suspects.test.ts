import { describe, expect, test } from 'vitest';
import type { Difference } from '../compare/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { verifyLimits } from '../limits.ts';
import { confirmable, suspectsOf } from './suspects.ts';
import type { Variant } from './variant.ts';

const route = 'outside → orders POST /trades';

function variant(what: string): Variant {
  return { what, hop: route, requests: [], varied: 1, hasOwnIds: false, rank: 0 };
}

function difference(name: string | null, place = 'response serial'): Difference {
  const common = { class: 'contract', what: 'value-changed', service: 'orders' } as const;
  const values = { before: '1', after: '2', examples: { before: 1, after: 2 } };
  return { ...common, ...values, hop: name, place, severity: 'fail', confidence: 0.9 };
}

const many = Array.from({ length: 96 }, (_, n) => variant(`n = ${n}`));
const nameOf = ({ what }: Variant): string => `${route}, ${what}`;

function find(differences: readonly Difference[], usual: readonly Difference[] = []) {
  const hops = many.map((one) => ({
    ...hop({ from: null, to: 'orders', path: '/trades' }),
    variant: one.what,
    sentAs: one,
  }));
  const side = { runs: [], hops, lastHop: 0 };
  const round = { control: side, candidate: side };
  return suspectsOf({ variants: many, round, differences }, usual);
}

describe('variants that differ', () => {
  const serials = many.map((one) => difference(nameOf(one)));
  const last = many.at(-1) as Variant;
  const real = difference(nameOf(last), 'response highValue');

  test('do not count where usual requests differ in a single round as well', () => {
    const suspects = find([...serials, real], [difference(route)]);
    expect(suspects.map((one) => one.variant)).toEqual([last]);
  });

  test('are confirmed kind by kind, so that chance in all of them hides none', () => {
    expect(confirmable(find([...serials, real]))).toContain(last);
  });

  test('are confirmed up to a limit', () => {
    const most = verifyLimits.variantsConfirmedMax;
    const confirmed = (count: number): number => confirmable(find(serials.slice(0, count))).length;
    expect(confirmed(most)).toBe(most);
    expect(confirmed(most + 1)).toBe(most);
  });

  test('are all suspects if it is unknown which one differs', () => {
    expect(find([difference(null)]).map((one) => one.variant)).toEqual(many);
  });
});
