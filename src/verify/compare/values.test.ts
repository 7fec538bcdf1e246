import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import { contractSteps } from './contract.ts';
import type { Difference } from './difference.ts';
import { findDrift } from './drift.ts';
import { against, hop, recording } from './recorded.fixture.ts';

const findContractDrift = (recordings: Parameters<typeof contractSteps>[0]): Difference[] =>
  contractSteps(recordings).flatMap((compare) => compare());

const told = (baseline: Json[], control: Json[], candidate: Json[]) =>
  findDrift({ baseline, control, candidate }).map(({ what, before, after, severity }) => ({
    what,
    before,
    after,
    severity,
  }));

describe('numbers', () => {
  const known = [{ fee: 1.24 }, { fee: 15 }];

  test('are a difference if two runs agree on them and the candidate does not', () => {
    const found = told(known, known, [{ fee: 1.23 }, { fee: 15 }]);
    expect(found).toEqual([
      { what: 'value-changed', before: '1.24', after: '1.23', severity: 'fail' },
    ]);
    const truths = told([{ isHigh: true }], [{ isHigh: true }], [{ isHigh: false }]);
    expect(truths).toMatchObject([{ what: 'value-changed', before: 'true', after: 'false' }]);
  });

  test('have the differing values as examples, and not the first', () => {
    const examples = (was: Json[], is: Json[]) =>
      findDrift({ baseline: was, control: was, candidate: is }).map((drift) => drift.examples);
    const rate = [{ rate: 15 }, { rate: 1 }];
    expect(examples(rate, [{ rate: 15 }, { rate: 0.1 }])).toEqual([{ before: 1, after: 0.1 }]);
    expect(examples(rate, [{ rate: 15 }, { rate: '1' }])).toEqual([{ before: 15, after: '1' }]);
    expect(examples([{ ok: true }], [{ ok: false }])).toEqual([{ before: true, after: false }]);
    expect(examples([{ a: 1, b: 2 }], [{ a: 1 }])).toEqual([{ before: 2, after: null }]);
  });

  test.each<[string, Json[], Json[], Json[]]>([
    ['come in another order', known, known, known.toReversed()],
    [
      'differ between the two runs as well',
      known,
      [{ fee: 1 }, { fee: 15 }],
      [{ fee: 3 }, { fee: 15 }],
    ],
    ['are fewer', known, known, [{ fee: 3 }]],
    ['are timestamps', [{ t: 1.7e12 }], [{ t: 1.7e12 }], [{ t: 1.8e12 }]],
    ['describe the process', [{ workerPid: 7 }], [{ workerPid: 7 }], [{ workerPid: 8 }]],
    ['are durations', [{ took_ms: 7 }], [{ took_ms: 7 }], [{ took_ms: 8 }]],
  ])('are no difference when they %s', (_, baseline, control, candidate) => {
    expect(told(baseline, control, candidate)).toEqual([]);
  });

  test('are compared if their names only resemble those of processes', () => {
    const was = [{ reported: 1, portfolio: 2 }];
    expect(told(was, was, [{ reported: 2, portfolio: 3 }])).toHaveLength(2);
  });
});

describe('texts', () => {
  test.each<[string, string, string]>([
    ['a word', 'required', 'needed'],
    ['a code', 'token_missing', 'no_token'],
    ['a day', '2026-11-17', '2026-11-18'],
    ['an amount', '29.99', '29.98'],
    ['a truth value', 'true', 'false'],
  ])('are a difference if two runs agree on them and the candidate does not: %s', (_, was, is) => {
    const known = [{ a: was }];
    expect(told(known, known, [{ a: is }])).toEqual([
      { what: 'value-changed', before: was, after: is, severity: 'fail' },
    ]);
  });

  test('are a difference if one of several words changed', () => {
    const known = [{ s: 'accepted' }, { s: 'accepted' }, { s: 'refused' }];
    const found = told(known, known, [{ s: 'accepted' }, { s: 'accepted' }, { s: 'declined' }]);
    expect(found).toMatchObject([{ what: 'value-changed', before: 'refused', after: 'declined' }]);
  });

  test.each<[string, Json[], Json[], Json[]]>([
    ['sentences', [{ m: 'Not known.' }], [{ m: 'Not known.' }], [{ m: 'Not known here.' }]],
    ['generated names', [{ h: 'node-1' }], [{ h: 'node-1' }], [{ h: 'node-2' }]],
    ['noise', [{ s: 'a' }], [{ s: 'b' }], [{ s: 'c' }]],
    ['fewer', [{ s: 'a' }, { s: 'b' }], [{ s: 'a' }, { s: 'b' }], [{ s: 'b' }]],
    ['about the version', [{ version: 'blue' }], [{ version: 'blue' }], [{ version: 'green' }]],
  ])('are no difference when they are %s', (_, baseline, control, candidate) => {
    expect(told(baseline, control, candidate)).toEqual([]);
  });
});

describe('refusals', () => {
  const refused = (body: Json, status = 402) =>
    hop({ to: 'payments', path: '/payments', status, responseBody: body });
  const known = () =>
    recording([refused({ error: { code: 'declined' } }), refused({ reason: 'x' }, 400)]);

  test('are compared with those of the same status', () => {
    const now = recording([refused({ code: 'declined' }), refused({ reason: 'x' }, 400)]);
    const found = findContractDrift(against(known, now));
    expect(found.filter(({ severity }) => severity === 'fail')).toMatchObject([
      { what: 'field-missing', service: 'payments', place: 'response error', which: '402' },
    ]);
    expect(findContractDrift(against(known, known()))).toEqual([]);
  });

  test('are not compared if they were injected', () => {
    const struck = { injected: 'status=402', answered: false };
    const now = recording([{ ...refused({ fault: 'ours' }), ...struck }]);
    expect(findContractDrift(against(known, now))).toEqual([]);
  });
});

describe('a body', () => {
  const known = () => recording([hop({ responseBody: { valid: true }, responseBytes: 14 })]);

  test('that is missing is a difference', () => {
    const now = recording([hop({ responseBytes: 0 })]);
    expect(findContractDrift(against(known, now))).toMatchObject([
      { what: 'body-missing', service: 'validation', place: 'response (the body)' },
    ]);
  });

  test('that was only not recorded, such as a compressed one, is no difference', () => {
    expect(findContractDrift(against(known, recording([hop({ responseBytes: 9 })])))).toEqual([]);
  });
});

describe('texts of a request that an answer repeats', () => {
  const order = (sku: string, stored = sku) =>
    hop({
      requestBody: { items: [{ sku }] },
      responseBody: { id: `ord_${sku}`, items: [{ sku: stored }] },
    });
  const known = () => recording([order('BOOK'), order('مرحبا')]);

  test('are a difference if one is not repeated any more', () => {
    const now = recording([order('BOOK'), order('مرحبا', 'x')]);
    expect(findContractDrift(against(known, now))).toMatchObject([
      { what: 'echo-lost', place: 'response items[].sku', examples: { after: 'x' } },
    ]);
  });

  test('are no difference if they were never repeated, or still are', () => {
    expect(findContractDrift(against(known, known()))).toEqual([]);
    const other = () => recording([order('BOOK', 'A book.'), order('PEN')]);
    const now = recording([order('BOOK', 'One book.'), order('PEN')]);
    expect(
      findContractDrift(against(other, now)).filter(({ severity }) => severity === 'fail'),
    ).toEqual([]);
  });
});
