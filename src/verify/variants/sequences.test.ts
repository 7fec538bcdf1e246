import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import type { RoundSide } from '../observe/round.ts';
import type { ScenarioRequest } from '../traffic/index.ts';
import { sequencesOf } from './sequences.ts';
import type { Variant } from './variant.ts';

const request = (body: Json, method = 'POST'): ScenarioRequest => ({
  method,
  path: '/validations',
  headers: [],
  body: Buffer.from(JSON.stringify(body)),
  status: 200,
  answer: null,
});

const usual = request({ amount: 1 });

function variant(what: string, body: Json, method?: string): Variant {
  const requests = [request({ prepares: true }), request(body, method)];
  return { what, hop: 'validation', requests, varied: 1, hasOwnIds: true, rank: 0, usual };
}

const answered = (sentAs: Variant, responseBody: Json, more = {}) => ({
  ...hop({ responseBody, ...more }),
  sentAs,
  variant: sentAs.what,
});

const roundOf = (...hops: readonly ReturnType<typeof hop>[]) => ({
  control: { runs: [], lastHop: 0, hops } satisfies RoundSide,
});

const bodiesOf = ({ requests }: Variant): Json[] =>
  requests.map(({ body }) => JSON.parse(String(body)) as Json);

describe('requests in a row', () => {
  const low = variant('amount = 5', { amount: 5 });
  const high = variant('amount = 15000', { amount: 15_000 });

  test('are one that is answered otherwise after the usual one, and an effect twice', () => {
    const round = roundOf(answered(high, { highValue: true, id: 'val_123' }));
    const found = sequencesOf(round, 10);
    expect(found.map((one) => [one.what, one.varied, bodiesOf(one)])).toEqual([
      [
        'after the usual one, amount = 15000',
        1,
        [{ prepares: true }, { amount: 1 }, { amount: 15_000 }],
      ],
      [
        'sent twice, amount = 15000',
        1,
        [{ prepares: true }, { amount: 15_000 }, { amount: 15_000 }],
      ],
    ]);
  });

  test('are made once for all answers that say the same apart from numbers and ids', () => {
    const known = [
      answered(low, { highValue: false, fee: 1, id: 'val_123' }),
      answered(variant('amount = 6', { amount: 6 }), { highValue: false, fee: 2, id: 'val_9' }),
      answered(high, { highValue: true, fee: 9, id: 'val_7' }),
    ];
    const whats = sequencesOf(roundOf(...known), 10).map(({ what }) => what);
    expect(whats).toContain('after the usual one, amount = 15000');
    expect(whats.some((what) => what.includes('= 6'))).toBe(false);
  });

  test('follow accepted requests first, and one that is refused', () => {
    const refused = ['null', '""'].map((value) =>
      answered(variant(`amount = ${value}`, {}), { error: value }, { status: 400 }),
    );
    const whats = sequencesOf(roundOf(...refused, answered(high, true)), 10).map(
      ({ what }) => what,
    );
    expect(whats.filter((what) => what.startsWith('after'))).toEqual([
      'after the usual one, amount = 15000',
      'after the usual one, amount = null',
    ]);
  });

  test('count a variant once, though what it wrote is read as well', () => {
    const round = roundOf(answered(high, { id: true }), answered(high, { stored: true }));
    expect(sequencesOf(round, 10)).toHaveLength(2);
  });

  test('are no repeated reads, no calls below a request, and no more than wanted', () => {
    const read = variant('page = 2', {}, 'GET');
    const below = { ...answered(high, { a: true }), variant: 'amount = 15000 in /trades' };
    const whats = sequencesOf(roundOf(answered(read, []), below), 10).map(({ what }) => what);
    expect(whats).toEqual(['after the usual one, page = 2']);
    expect(sequencesOf(roundOf(answered(low, 1), answered(high, true)), 3)).toHaveLength(3);
  });
});
