import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { findRelapses, type Swept } from './judge-retried.ts';
import type { Retried } from './retried.ts';
import type { SweptFault } from './swept-fault.ts';

const lost: SweptFault = {
  steps: [],
  hop: 'orders>payments',
  kind: 'lost',
  isWhole: true,
  isClose: true,
};

interface Attempt {
  readonly status?: number;
  /** What payments said, before that was lost. */
  readonly lostStatus?: number;
  readonly charge?: Json;
  readonly calls?: readonly Partial<Hop>[];
}

/** Asked for twice: by the first the answer was lost. */
function tried(attempts: readonly Attempt[], rows = 1): Retried {
  const ids = attempts.map((_, n) => `r${n}`);
  const hops = attempts.flatMap(({ status = 200, lostStatus = 200, charge, calls = [] }, n) => {
    const requestId = ids[n] ?? '';
    const fault = { injected: 'lost', faults: 'orders>payments:lost' };
    const met = n === 0 ? { ...fault, status: 0, lostStatus } : {};
    const asked = { from: 'orders', to: 'payments', path: '/payments', requestId };
    const responseBody = charge === undefined ? null : { charge, state: 'done', at: `${n}` };
    return [
      hop({ from: null, to: 'orders', path: '/orders/o1/payment', status, requestId }),
      hop({ ...asked, answered: true, responseBody, ...met }),
      ...calls.map((call) => hop({ from: 'payments', requestId, ...call })),
    ];
  });
  const row = {
    service: 'payments',
    store: 'db',
    table: 'charges',
    kind: 'insert',
    row: 1,
  } as const;
  const writes = Array.from({ length: rows }, () => row);
  return { statuses: attempts.map(({ status = 200 }) => status), ids, hops, writes };
}

const failed = 502;
const once = (charge: Json) => tried([{ status: failed, charge }, { charge }]);
const twice = (charge: Json, other: Json) => tried([{ status: failed, charge }, { charge: other }]);
const mailed = (...mails: number[]) =>
  tried(
    mails.map((count, n) => ({
      status: n === 0 ? failed : 200,
      calls: Array.from({ length: count }, () => ({ to: 'mail', path: '/mails', status: 202 })),
    })),
  );
const rows = (count: number) => tried([{ status: failed }, {}], count);
const ended = (...statuses: number[]) => tried(statuses.map((status) => ({ status })));
const known = ['a', 'b', 'c', 'd'].map(once);
const again = ['e', 'f', 'g', 'h'];
const four = (one: Retried): Retried[] => [one, one, one, one];
const swept = (
  control: Retried[],
  candidate: Retried[],
  more: Partial<SweptFault> = {},
): Swept => ({
  fault: { ...lost, ...more },
  control,
  candidate,
});

describe('of a request whose answer was lost and that is sent again, a change', () => {
  const charged = again.map((charge) => twice(charge, `${charge}2`));
  test.each<[string, Swept, readonly string[]]>([
    ['does the same', swept(known, again.map(once)), []],
    ['charges again', swept(known, charged), ['calls retry-repeats response charge']],
    [
      'charges again where it was refused before it was served',
      swept(known, charged, { kind: 'status=503' }),
      [],
    ],
    ['charges again now and then', swept(known, [...charged.slice(2), ...known.slice(2)]), []],
    [
      'charges once, after it had refused to',
      swept(
        known,
        again.map((charge) =>
          tried([{ status: failed, lostStatus: 500, charge: `${charge}2` }, { charge }]),
        ),
      ),
      [],
    ],
    ['charges again as before', swept(charged, charged), []],
    [
      'says otherwise what does not name it',
      swept(
        four(once('paid')),
        again.map(() => twice('paid', 'known')),
      ),
      [],
    ],
    [
      'sends two mails for one',
      swept(four(mailed(1, 0)), four(mailed(1, 1))),
      ['calls retry-repeats'],
    ],
    ['sends as many mails', swept(four(mailed(1, 1)), four(mailed(1, 1))), []],
    [
      'writes two rows for one',
      swept(four(rows(1)), four(rows(2))),
      ['writes retry-repeats db charges'],
    ],
    [
      'writes two rows where it was cut short itself',
      swept(four(rows(1)), four(rows(2)), { isWhole: false }),
      [],
    ],
    ['writes rows where there were none', swept(four(rows(0)), four(rows(1))), []],
    [
      'refuses it for good',
      swept(four(ended(failed, 200)), four(ended(failed, 409))),
      ['status retry-refused'],
    ],
    ['takes it after a moment', swept(four(ended(failed, 200)), four(ended(failed, 503, 200))), []],
    ['refuses it as before', swept(four(ended(failed, 409)), four(ended(failed, 409))), []],
    [
      'says that it is done, and has asked nobody',
      swept(four(mailed(0, 1)), four(mailed(0, 0))),
      ['calls retry-skips'],
    ],
    [
      'has no answer to that any more',
      swept(four(ended(200)), four(ended(failed, 200))),
      ['status fault-felt'],
    ],
    ['has an answer to that now', swept(four(ended(failed, 200)), four(ended(200))), []],
  ])('%s', (_, given, expected) => {
    const found = findRelapses(given, 3);
    expect(
      found.map(({ class: kind, what, place }) => [kind, what, place].filter(Boolean).join(' ')),
    ).toEqual(expected);
  });

  test('is not judged by one that did not meet the fault', () => {
    const unmet = charged.map((one) => ({
      ...one,
      hops: one.hops.map(({ injected: _, ...hop }) => hop),
    }));
    expect(findRelapses(swept(known, unmet), 3)).toEqual([]);
  });
});
