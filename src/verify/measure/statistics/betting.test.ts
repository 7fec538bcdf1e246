import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bet, betOnLessExcessThan, betOnMoreThan } from './betting.ts';
import { medianInterval, rejectedByHolm } from './judge-signals.ts';
import { seeded } from './noise.fixture.ts';

/** What a stake of 1 is worth on average after so many rounds, outcomes as likely as it says. */
function expected(make: () => Bet, chances: ReadonlyMap<number, number>, rounds: number): number {
  const outcomes = [...chances];
  let sum = 0;
  const walk = (path: readonly number[], chance: number): void => {
    if (path.length === rounds) {
      const bet = make();
      for (const outcome of path) bet.observe(outcome);
      sum += chance * Math.exp(bet.log);
      return;
    }
    for (const [outcome, each] of outcomes) walk([...path, outcome], chance * each);
  };
  walk([], 1);
  return sum;
}

describe('a bet', () => {
  const shares = fc.double({ min: 0.05, max: 0.95, noNaN: true });

  test('gains nothing on average as long as its hypothesis holds', () => {
    fc.assert(
      fc.property(shares, fc.double({ min: 0, max: 1, noNaN: true }), (share, part) => {
        const won = share * part;
        const chances = new Map([
          [1, won],
          [0, 1 - won],
        ]);
        expect(expected(() => betOnMoreThan(share), chances, 6)).toBeLessThanOrEqual(1 + 1e-9);
      }),
    );
  });

  test('on less excess gains nothing on average as long as the excess is there', () => {
    fc.assert(
      fc.property(shares, fc.double({ min: 0, max: 1, noNaN: true }), (share, part) => {
        const down = ((1 - share) / 2) * part;
        const chances = new Map([
          [-1, down],
          [0, 1 - share - 2 * down],
          [1, share + down],
        ]);
        expect(expected(() => betOnLessExcessThan(share), chances, 5)).toBeLessThanOrEqual(
          1 + 1e-9,
        );
      }),
    );
  });

  test('multiplies its stake by 20 for at most one in 20 fair players, whenever they stop', () => {
    const random = seeded(11);
    const rich = Array.from({ length: 1_000 }, () => {
      const bet = betOnMoreThan(0.5);
      for (let round = 0; round < 200; round++) bet.observe(random() < 0.5 ? 1 : 0);
      return bet.mostLog >= Math.log(20);
    });
    expect(rich.filter(Boolean).length).toBeLessThanOrEqual(50);
  });

  test('predicts how many rounds it takes', () => {
    const bet = betOnMoreThan(0.5);
    for (let round = 0; round < 10; round++) bet.observe(round % 5 === 0 ? 0 : 1);
    const rounds = bet.roundsTo(Math.log(1_000));
    for (let round = 10; round < rounds; round++) bet.observe(round % 5 === 0 ? 0 : 1);
    expect(bet.log).toBeGreaterThanOrEqual(Math.log(1_000) - 0.7);
    expect(rounds).toBeLessThan(80);
  });

  test('that only loses never wins', () => {
    const bet = betOnMoreThan(0.5);
    bet.observe(0, 10);
    expect(bet.roundsTo(1)).toBe(Number.POSITIVE_INFINITY);
    expect(bet.mostLog).toBe(0);
  });
});

describe('Holm rejects', () => {
  const p = (...values: number[]) => values.map((value) => Math.log(1 / value));

  test.each<[string, number[], boolean[]]>([
    ['the strongest hypothesis at its share of the level', p(0.01, 0.5, 0.5), [true, false, false]],
    ['the next hypothesis at the remaining share', p(0.02, 0.5, 0.01), [true, false, true]],
    ['no hypothesis after one that is not rejected', p(0.01, 0.03, 0.03), [true, false, false]],
    ['no hypothesis without evidence', p(1, 1, 1), [false, false, false]],
    ['nothing of an empty list', [], []],
  ])('%s', (_, evidence, rejected) => {
    expect(rejectedByHolm(evidence, 0.05)).toEqual(rejected);
  });
});

describe('the interval of a median', () => {
  test('contains the median, and gets narrower with more values', () => {
    const random = seeded(5);
    const widths = [20, 200, 2_000].map((count) => {
      const { low, high } = medianInterval(Array.from({ length: count }, () => random() - 0.5));
      expect(low).toBeLessThan(0);
      expect(high).toBeGreaterThan(0);
      return (high ?? 0) - (low ?? 0);
    });
    expect(widths).toEqual(widths.toSorted((one, other) => other - one));
  });

  test('is open with a handful of values', () => {
    expect(medianInterval([1, 2, 3, 4])).toEqual({ low: null, high: null });
    expect(medianInterval([])).toEqual({ low: null, high: null });
  });
});
