import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import { findDrift } from './drift.ts';

/** Five of each, as a suite would make them. */
const many = (make: (index: number) => Json): Json[] =>
  Array.from({ length: 5 }, (_, i) => make(i));

const tell = (before: (index: number) => Json, after: (index: number) => Json): string[] =>
  findDrift({
    baseline: many(before),
    control: many((n) => before(n + 5)),
    candidate: many(after),
  }).map(({ field, what, before: was, after: is, severity }) =>
    [severity === 'notice' ? 'notice: ' : '', `${field} ${what}: ${was} → ${is}`].join(''),
  );

const word = (index: number): string => ['open', 'paid'][index % 2] as string;
const uuid = (index: number): string => `0f8fad5b-d9cb-469f-a165-70867728950${index}`;
const at = (index: number): string => `2026-11-15T12:00:0${index % 10}.000Z`;

describe('a member of a list', () => {
  const found = (was: Json, is: Json, control = was) =>
    findDrift({ baseline: [was], control: [control], candidate: [is] })
      .filter(({ severity, what }) => severity === 'fail' && what !== 'order-changed')
      .map(({ field, what, before, after, examples }) => [
        `${field} ${what}: ${before} → ${after}`,
        examples.before,
      ]);

  test.each<[string, Json, Json, string, Json]>([
    ['a text', { codes: ['EUR', 'USD'] }, { codes: ['EUR'] }, 'codes[]', 'USD'],
    ['a number', [1, 2, 3], [1, 3], '[]', 2],
    ['one of several equal ones', { codes: [7, 7] }, { codes: [7] }, 'codes[]', 7],
    [
      'an object',
      {
        items: [
          { id: 'a', at: 1 },
          { id: 'b', at: 2 },
        ],
      },
      { items: [{ id: 'a', at: 3 }] },
      'items[]',
      'b',
    ],
  ])('that was constant and is gone is drift: %s', (_, was, is, field, gone) => {
    const items = Array.isArray(was) ? 3 : 2;
    expect(found(was, is)).toEqual([
      [`${field} member-missing: ${items} items → ${items - 1} items`, gone],
    ]);
  });

  test.each<[string, Json, Json, Json?]>([
    [
      'varied in the known runs',
      { codes: ['EUR', 'USD'] },
      { codes: ['EUR'] },
      { codes: ['EUR', 'JPY'] },
    ],
    ['moved', { codes: ['EUR', 'USD'] }, { codes: ['USD', 'EUR'] }],
    [
      'belongs to a list that varied in length',
      { codes: [1, 2] },
      { codes: [1] },
      { codes: [1, 2, 2] },
    ],
  ])('that %s is none', (_, was, is, control) => {
    expect(found(was, is, control)).toEqual([]);
  });

  test('is none if there are fewer answers', () => {
    const answers = [{ codes: [1, 2] }, { codes: [1, 2] }];
    const sides = { baseline: answers, control: answers, candidate: answers.slice(1) };
    expect(findDrift(sides)).toEqual([]);
  });
});

describe('drift is', () => {
  test.each<[string, (index: number) => Json, (index: number) => Json, string[]]>([
    [
      'a number that became a text',
      (n) => ({ amount: n }),
      (n) => ({ amount: `${n}` }),
      ['amount type-changed: number → string'],
    ],
    [
      'another type in a field of unique values',
      (n) => ({ id: uuid(n), at: at(n) }),
      (n) => ({ id: n, at: at(n) }),
      ['id type-changed: string → number'],
    ],
    [
      'a value that is sometimes null',
      () => ({ a: 1 }),
      (n) => ({ a: n === 3 ? null : 1 }),
      ['a type-changed: number → null or number'],
    ],
    [
      'a missing field',
      () => ({ a: 1, b: 2 }),
      () => ({ a: 1 }),
      ['b field-missing: number → absent'],
    ],
    [
      'a field that is missing in some values',
      () => ({ a: 1, b: 2 }),
      (n) => (n === 2 ? { a: 1 } : { a: 1, b: 2 }),
      ['b field-missing: always there → absent from 1 of 5'],
    ],
    [
      'another type of a field in a list',
      () => ({ items: [{ p: 1 }] }),
      () => ({ items: [{ p: '1' }] }),
      ['items[].p type-changed: number → string'],
    ],
    [
      'reported once, not for all fields below',
      () => ({ a: { b: { c: 1 } } }),
      () => ({ a: 'x' }),
      ['a type-changed: object → string'],
    ],
    ['a body of another type', () => ({ a: 1 }), () => [1], [' type-changed: object → array']],
    [
      'a list that is always empty now',
      () => ({ flags: ['a'] }),
      () => ({ flags: [] }),
      ['flags emptied: never empty → always empty'],
    ],
    [
      'a list that never is empty now',
      () => ({ flags: [] }),
      () => ({ flags: ['a'] }),
      ['flags filled: always empty → never empty', 'notice: flags[] items-added: absent → string'],
    ],
    [
      'a time in another format',
      (n) => ({ at: at(n) }),
      () => ({ at: '15.11.2026' }),
      ['at format-changed: date-time → local date'],
    ],
    [
      'a number in a text in another notation',
      (n) => ({ total: `${1_000 + n}.50` }),
      () => ({ total: '1,000.50' }),
      ['total format-changed: decimal number → grouped number'],
    ],
    [
      'a word in another spelling',
      (n) => ({ status: word(n) }),
      (n) => ({ status: word(n).toUpperCase() }),
      ['status values-changed: open or paid → OPEN or PAID'],
    ],
    [
      'only unknown words instead of known ones',
      (n) => ({ status: word(n) }),
      () => ({ status: 'done' }),
      ['status values-changed: open or paid → done'],
    ],
    [
      'the same numbers in cents',
      (n) => ({ total: 10 + (n % 5) }),
      (n) => ({ total: 1_000 + (n % 5) * 100 }),
      ['total scale-changed: times 1 → times 100'],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(tell(before, after)).toEqual(expected);
  });

  test.each<[string, (index: number) => Json, (index: number) => Json]>([
    ['a new field', () => ({ a: 1 }), () => ({ a: 1, note: 'new' })],
    ['one more word', (n) => ({ s: word(n) }), (n) => ({ s: n === 0 ? 'held' : word(n) })],
  ])('only a notice: %s', (_, before, after) => {
    expect(tell(before, after)).toEqual([expect.stringMatching(/^notice: /)]);
  });

  test.each<[string, (index: number) => Json, (index: number) => Json]>([
    [
      'other ids and times',
      (n) => ({ id: uuid(n), at: at(n) }),
      () => ({ id: uuid(9), at: at(9) }),
    ],
    ['numbers that are never the same', (n) => ({ fee: 10 + n }), (n) => ({ fee: 5 + n / 2 })],
    [
      'another prose text',
      () => ({ text: 'We got it.' }),
      () => ({ text: 'Thank you for your order!' }),
    ],
    ['another order of fields', () => ({ a: 1, b: 2 }), () => ({ b: 2, a: 1 })],
    ['a type that was there before', (n) => ({ a: n % 2 ? 1 : null }), () => ({ a: 1 })],
    [
      'a field that is sometimes there',
      (n) => (n % 2 ? { a: 1 } : { a: 1, b: 1 }),
      (n) => (n === 0 ? { a: 1, b: 1 } : { a: 1 }),
    ],
    [
      'an optional field that is missing by chance',
      (n) => (n % 4 ? { a: 1 } : { a: 1, b: 1 }),
      () => ({ a: 1 }),
    ],
    ['words that never repeat', (n) => ({ name: `x${n}` }), (n) => ({ name: `y${n}` })],
    [
      'ids as field names',
      (n) => ({ by: { [uuid(n)]: 1 } }),
      (n) => ({ by: { [uuid(9 - n)]: 2 } }),
    ],
    ['lists of other lengths', (n) => ({ l: n % 2 ? [] : [1] }), () => ({ l: [] })],
  ])('not: %s', (_, before, after) => {
    expect(tell(before, after)).toEqual([]);
  });

  test('never found between the same values in another order', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 })), (values) => {
        const baseline = values as Json[];
        const found = findDrift({ baseline, control: baseline, candidate: baseline.toReversed() });
        expect(found).toEqual([]);
      }),
    );
  });

  test('more certain with more observations', () => {
    const drift = (count: number) => {
      const known = Array.from({ length: count }, () => ({ a: 1 }));
      return findDrift({ baseline: known, control: known, candidate: [{ a: '1' }] })[0];
    };
    expect(drift(1)?.confidence).toBeLessThan(drift(50)?.confidence ?? 0);
  });
});
