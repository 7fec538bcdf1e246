import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import { findContractDrift } from './contract.ts';
import { findDrift } from './drift.ts';
import { against, hop, recording } from './recorded.fixture.ts';

const told = (baseline: Json[], control: Json[], candidate: Json[]) =>
  findDrift({ baseline, control, candidate }).map(({ what, before, after, severity }) => ({
    what,
    before,
    after,
    severity,
  }));

describe('numbers', () => {
  const known = [{ fee: 1.24 }, { fee: 15 }];

  test('that two runs agree on and the candidate does not are a difference', () => {
    const found = told(known, known, [{ fee: 1.23 }, { fee: 15 }]);
    expect(found).toEqual([
      { what: 'value-changed', before: '1.24', after: '1.23', severity: 'fail' },
    ]);
    const truths = told([{ isHigh: true }], [{ isHigh: true }], [{ isHigh: false }]);
    expect(truths).toMatchObject([{ what: 'value-changed', before: 'true', after: 'false' }]);
  });

  test.each<[string, Json[], Json[], Json[]]>([
    ['come in another order', known, known, known.toReversed()],
    [
      'differ between the two runs as well',
      known,
      [{ fee: 1 }, { fee: 15 }],
      [{ fee: 3 }, { fee: 15 }],
    ],
    ['are fewer: then something else differs', known, known, [{ fee: 3 }]],
    ['are moments', [{ t: 1.7e12 }], [{ t: 1.7e12 }], [{ t: 1.8e12 }]],
    ['tell of the process', [{ workerPid: 7 }], [{ workerPid: 7 }], [{ workerPid: 8 }]],
    ['tell of the moment', [{ took_ms: 7 }], [{ took_ms: 7 }], [{ took_ms: 8 }]],
  ])('are no difference when they %s', (_, baseline, control, candidate) => {
    expect(told(baseline, control, candidate)).toEqual([]);
  });

  test('whose names only look like those of processes are compared', () => {
    const was = [{ reported: 1, portfolio: 2 }];
    expect(told(was, was, [{ reported: 2, portfolio: 3 }])).toHaveLength(2);
  });
});

describe('texts that an answer says again', () => {
  const order = (sku: string, stored = sku) =>
    hop({
      requestBody: { items: [{ sku }] },
      responseBody: { id: `ord_${sku}`, items: [{ sku: stored }] },
    });
  const known = () => recording([order('BOOK'), order('مرحبا')]);

  test('are missed when one is no longer what was asked for', () => {
    const now = recording([order('BOOK'), order('مرحبا', 'x')]);
    expect(findContractDrift(against(known, now))).toMatchObject([
      { what: 'echo-lost', place: 'response items[].sku', examples: { after: 'x' } },
    ]);
  });

  test('are not when they were never said again, or still are', () => {
    expect(findContractDrift(against(known, known()))).toEqual([]);
    const other = () => recording([order('BOOK', 'stored'), order('PEN')]);
    const now = recording([order('BOOK', 'else'), order('PEN')]);
    expect(
      findContractDrift(against(other, now)).filter(({ severity }) => severity === 'fail'),
    ).toEqual([]);
  });
});
