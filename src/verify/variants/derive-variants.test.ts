import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import { verifyLimits } from '../limits.ts';
import type { ScenarioRequest } from '../traffic/index.ts';
import type { CodeHints } from './code-hints.ts';
import { deriveVariants, directReads } from './derive-variants.ts';
import type { KnownRequest } from './known-requests.ts';
import type { Variant } from './variant.ts';

const noHints: CodeHints = {
  numbers: [],
  rates: [],
  isRounding: false,
  texts: [],
  names: new Set(),
  namesBeside: new Set(),
  fields: [],
  quoted: [],
  paths: [],
};

function known(body: Json, more: Partial<ScenarioRequest> = {}): KnownRequest {
  const bytes = body === null ? null : Buffer.from(JSON.stringify(body));
  const request = { method: 'POST', path: '/trades', headers: [], status: 201, answer: null };
  return {
    requests: [{ ...request, body: bytes, ...more }],
    name: 'outside → edge POST /trades',
    body,
    isInner: false,
  };
}

function derive(
  one: KnownRequest,
  hints: Partial<CodeHints> = {},
  credentials: string[] = [],
  limit = 10_000,
) {
  const headers = credentials.map((value) => ['authorization', value] as const);
  const own = { ...noHints, ...hints };
  const sources = {
    known: [one],
    hints: own,
    changed: ['edge'],
    credentials: headers,
    observed: new Map([['status', ['open', 'paid']]]),
    reaching: new Set<string>(),
    queries: [],
    compared: new Map([['total', [5_000]]]),
  };
  return deriveVariants(sources, 'a seed', limit);
}

const bodiesOf = (variants: readonly Variant[]): Json[] =>
  variants.map(({ requests }) => JSON.parse(String(requests.at(-1)?.body)) as Json);

describe('variants of a request', () => {
  test('begin with the values around a constant of the change, in the field that it names', () => {
    const hints = { numbers: [10_000], names: new Set(['amount']) };
    const variants = derive(known({ amount: 15_000, note: 'x' }), hints);
    expect(
      variants
        .slice(0, 10)
        .map(({ what }) => what)
        .toSorted(),
    ).toEqual([
      'amount = -1',
      'amount = 0',
      'amount = 10000',
      'amount = 10000.01',
      'amount = 10001',
      'amount = 9999',
      'amount = 9999.5',
      'amount = 9999.99',
      'amount = null',
      'amount left out',
    ]);
    expect(bodiesOf(variants)[0]).toMatchObject({ note: 'x' });
  });

  test.each([
    [{ n: 5 }, ['n = 0', 'n = -1', 'n = null', 'n left out', 'n = "5"']],
    [{ t: 'buy' }, ['t = ""', 't = "BUY"', 't = null', 't left out', 't = "buyé株🦊"']],
    [{ b: true }, ['b = false', 'b = null', 'b left out']],
    [{ l: [{ s: 'a' }] }, ['l = []', 'l = null', 'l = a list of 2', 'l[0].s = ""']],
    [{ o: { n: 1 } }, ['o = {}', 'o.n = 0', 'o left out']],
    [{ status: 'open' }, ['status = "paid"', 'sent twice']],
  ])('of %j have what people forget', (body, expected) => {
    const names = derive(known(body)).map(({ what }) => what);
    expect(names).toEqual(expect.arrayContaining(expected));
    expect(new Set(names).size).toBe(names.length);
  });

  test('are also other requests of the route, sent twice', () => {
    const large = { quantity: 1_000_000, note: 'a, b', id: 'trd_123456', side: 'buy' };
    const others = [known(large), known({ quantity: 1, side: 'buy', id: 'trd_654321' })];
    const variants = derive({ ...known({ quantity: 1, side: 'buy', id: 'trd_111111' }), others });
    const repeated = variants.filter(({ what }) => what.startsWith('sent twice with'));
    expect(repeated.map(({ what }) => what)).toEqual([
      'sent twice with {"quantity":1000000,"note":"a b"}',
    ]);
    expect(bodiesOf(repeated)).toEqual([large]);
    expect(repeated[0]?.requests).toHaveLength(2);
  });

  test('have the texts of the change, and lists and texts as long as its numbers', () => {
    const hints = { numbers: [100], texts: ['sell'], names: new Set(['side', 'items']) };
    const names = derive(known({ side: 'buy', items: [1] }), hints).map(({ what }) => what);
    expect(names).toEqual(
      expect.arrayContaining([
        'side = "sell"',
        'side = a text of 101 characters',
        'items = a list of 100',
        'items = a list of 101',
      ]),
    );
  });

  test('have fields that the changed lines read, and the request lacks', () => {
    const hints = { fields: ['currency', 'amount'], texts: ['EUR'] };
    const names = derive(known({ amount: 1 }), hints).map(({ what }) => what);
    expect(names).toEqual(
      expect.arrayContaining(['currency = "EUR"', 'currency = 1', 'currency = null']),
    );
    const read = known(null, { method: 'GET', path: '/trades' });
    expect(derive(read, hints).map(({ requests }) => requests.at(-1)?.path)).toContain(
      '/trades?currency=EUR',
    );
  });

  test('read what was written, where something is likely to differ', () => {
    const read = { method: 'GET', path: '/trades/1', headers: [], body: null, status: 200 };
    const own = { ...known({ n: 5 }), read: { ...read, answer: null } };
    const [first] = derive(own, { names: new Set(['n']) });
    expect(first).toMatchObject({ varied: 2, requests: [{ method: 'POST' }, { method: 'GET' }] });
  });

  test('of a variant say all that is unusual', () => {
    const names = derive({ ...known({ n: 5 }), what: 't = ""' }).map(({ what }) => what);
    expect(names).toContain('t = "", n = 0');
  });

  test('have no credential, a wrong one and every other one', () => {
    const headers = [['authorization', 'Bearer mine']] as const;
    const own = known(null, { method: 'GET', headers });
    const variants = derive(own, {}, ['Bearer mine', 'Bearer other']);
    const sent = variants.map(({ what, requests }) => [what, requests.at(-1)?.headers[0]?.[1]]);
    expect(sent.toSorted()).toEqual([
      ['with a wrong authorization', 'Bearer given-out-by-nobody'],
      ['with another authorization (1)', 'Bearer other'],
      ['with the scheme of authorization in lower case', 'bearer mine'],
      ['without authorization', undefined],
    ]);
  });

  test('vary the query of a request without a body', () => {
    const read = known(null, { method: 'GET', path: '/trades?limit=10&sort=asc' });
    const hints = { numbers: [50], names: new Set(['limit']) };
    expect(derive(read, hints).map(({ requests }) => requests.at(-1)?.path)).toEqual(
      expect.arrayContaining(['/trades?limit=50&sort=asc', '/trades?limit=10', '/trades?sort=asc']),
    );
  });

  test('lie around a constant of another file that a field of the change is compared with', () => {
    const sentFor = (field: string): Json[] =>
      bodiesOf(derive(known({ [field]: 7 }), { names: new Set([field]) }, [], 24));
    expect(sentFor('total')).toEqual(
      expect.arrayContaining([{ total: 4_999.99 }, { total: 5_000 }, { total: 5_000.01 }]),
    );
    expect(sentFor('amount')).not.toContainEqual({ amount: 5_000 });
  });

  test('change a limited number of fields, those that the change names first', () => {
    const most = verifyLimits.variantPlacesMax;
    const fieldsOf = (count: number): Set<string> => {
      const fields = Array.from({ length: count }, (_, n) => [`f${n}`, true]);
      const hints = { names: new Set([`f${count - 1}`]) };
      const variants = derive(known(Object.fromEntries(fields)), hints);
      return new Set(variants.flatMap(({ what }) => /^f\d+/.exec(what) ?? []));
    };
    expect(fieldsOf(most).size).toBe(most);
    expect(fieldsOf(most + 1).size).toBe(most);
    expect(fieldsOf(most + 1)).toContain(`f${most}`);
  });

  test('make only the bodies that are sent', () => {
    let copies = 0;
    const body = { n: 5, toJSON: () => ++copies } as unknown as Json;
    const one = { ...known({ n: 5 }), body };
    copies = 0;
    expect(derive(one, { names: new Set(['n']) }, [], 3)).toHaveLength(3);
    expect(copies).toBe(3);
  });

  test('ask reads with a query parameter that the code reads and nobody sent', () => {
    const sources = {
      ...{ hints: noHints, changed: ['edge'], credentials: [], reaching: new Set<string>() },
      known: [known(null, { method: 'GET', path: '/trades?limit=10' }), known({ a: 1 })],
      observed: new Map([['status', ['open', 'paid', 'void']]]),
      queries: ['limit', 'status'],
      compared: new Map(),
      unasked: [],
    };
    const asked = directReads(sources, 'a seed', 100).map(({ requests }) => requests.at(-1)?.path);
    expect(asked.sort()).toEqual([
      '/trades?limit=10&status=1',
      '/trades?limit=10&status=open',
      '/trades?limit=10&status=paid',
    ]);
  });

  test('are the same in the same order for the same seed', () => {
    const again = (): string[] => derive(known({ a: 1, b: 'x' })).map(({ what }) => what);
    expect(again()).toEqual(again());
  });
});
