import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import type { PlannedFault } from './planned-fault.ts';
import type { RetriedRequest } from './retry.ts';
import { type FaultTrial, findRetryDefects } from './retry-defects.ts';

const lost: PlannedFault = {
  steps: [],
  hop: 'orders>payments',
  kind: 'lost',
  isWhole: true,
  isClose: true,
};

interface Attempt {
  readonly status?: number;
  /** The answer of payments before it was lost. */
  readonly lostStatus?: number;
  readonly charge?: Json;
  readonly calls?: readonly Partial<Hop>[];
}

/** Attempts of one request; the first answer was lost. */
function tried(attempts: readonly Attempt[], rows = 1): RetriedRequest {
  const ids = attempts.map((_, n) => `r${n}`);
  const hops = attempts.flatMap(({ status = 200, lostStatus = 200, charge, calls = [] }, n) => {
    const requestId = ids[n] ?? '';
    const fault = { injected: 'lost', faults: 'orders>payments:lost' };
    const met = n === 0 ? { ...fault, status: 0, lostStatus } : {};
    const call = { from: 'orders', to: 'payments', path: '/payments', requestId };
    const responseBody = charge === undefined ? null : { charge, state: 'done', at: `${n}` };
    return [
      hop({ from: null, to: 'orders', path: '/orders/o1/payment', status, requestId }),
      hop({ ...call, answered: true, responseBody, ...met }),
      ...calls.map((one) => hop({ from: 'payments', requestId, ...one })),
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
const four = (one: RetriedRequest): RetriedRequest[] => [one, one, one, one];
const trial = (
  control: RetriedRequest[],
  candidate: RetriedRequest[],
  more: Partial<PlannedFault> = {},
): FaultTrial => ({
  fault: { ...lost, ...more },
  control,
  candidate,
});

describe('when a client retries after a lost answer, a change', () => {
  const charged = again.map((charge) => twice(charge, `${charge}2`));
  test.each<[string, FaultTrial, readonly string[]]>([
    ['charges once, as the baseline does', trial(known, again.map(once)), []],
    ['charges twice', trial(known, charged), ['calls retry-repeats response charge']],
    [
      'charges twice, where the call was refused before it was served',
      trial(known, charged, { kind: 'status=503' }),
      [],
    ],
    [
      'charges twice in half of the tries',
      trial(known, [...charged.slice(2), ...known.slice(2)]),
      [],
    ],
    [
      'charges once, after it refused the first attempt',
      trial(
        known,
        again.map((charge) =>
          tried([{ status: failed, lostStatus: 500, charge: `${charge}2` }, { charge }]),
        ),
      ),
      [],
    ],
    ['charges twice, as the baseline does', trial(charged, charged), []],
    [
      'changes a field that does not name the charge',
      trial(
        four(once('paid')),
        again.map(() => twice('paid', 'known')),
      ),
      [],
    ],
    [
      'sends two mails, the baseline one',
      trial(four(mailed(1, 0)), four(mailed(1, 1))),
      ['calls retry-repeats'],
    ],
    ['sends as many mails as the baseline', trial(four(mailed(1, 1)), four(mailed(1, 1))), []],
    [
      'writes two rows, the baseline one',
      trial(four(rows(1)), four(rows(2))),
      ['writes retry-repeats db charges'],
    ],
    [
      'writes two rows, where the fault interrupts the changed service',
      trial(four(rows(1)), four(rows(2)), { isWhole: false }),
      [],
    ],
    ['writes rows, the baseline none', trial(four(rows(0)), four(rows(1))), []],
    [
      'refuses the retry',
      trial(four(ended(failed, 200)), four(ended(failed, 409))),
      ['status retry-refused'],
    ],
    [
      'accepts the second retry',
      trial(four(ended(failed, 200)), four(ended(failed, 503, 200))),
      [],
    ],
    [
      'refuses the retry, as the baseline does',
      trial(four(ended(failed, 409)), four(ended(failed, 409))),
      [],
    ],
    [
      'accepts the retry without making the call',
      trial(four(mailed(0, 1)), four(mailed(0, 0))),
      ['calls retry-skips'],
    ],
    [
      'fails, where the baseline handles the fault',
      trial(four(ended(200)), four(ended(failed, 200))),
      ['status fault-felt'],
    ],
    [
      'handles the fault, where the baseline fails',
      trial(four(ended(failed, 200)), four(ended(200))),
      [],
    ],
  ])('%s', (_, given, expected) => {
    const found = findRetryDefects(given, 3);
    expect(
      found.map(({ class: kind, what, place }) => [kind, what, place].filter(Boolean).join(' ')),
    ).toEqual(expected);
  });

  const refused = { kind: 'status=503' } as const;
  const answered = (status: number, fee: number | null, ...more: number[]): RetriedRequest => {
    const one = ended(status, ...more);
    const isLast = (requestId: string | null) => requestId === one.ids.at(-1);
    const hops = one.hops.map((each) =>
      each.from === null && isLast(each.requestId) && fee !== null
        ? { ...each, responseBody: { fee, state: 'done' } }
        : each,
    );
    return { ...one, hops };
  };
  const calling = (calls: number): RetriedRequest => {
    const one = ended(failed, 200);
    const struck = one.hops.filter(({ injected }) => injected !== undefined);
    return {
      ...one,
      hops: [
        ...one.hops,
        ...Array(calls - 1)
          .fill(struck)
          .flat(),
      ],
    };
  };

  test.each<[string, FaultTrial, readonly string[]]>([
    [
      'answers another value without a service that is down',
      trial(four(answered(failed, 15, 200)), four(answered(200, 0)), refused),
      ['status fault-hidden response fee'],
    ],
    [
      'answers without a service that is down, and nothing shows what is left out',
      trial(four(answered(failed, 15, 200)), four(answered(200, 15)), refused),
      ['status fault-hidden doubt'],
    ],
    [
      'calls a service that is down nine times',
      trial(four(calling(1)), four(calling(9)), refused),
      ['calls retry-repeats'],
    ],
    ['tries three times', trial(four(calling(1)), four(calling(3)), refused), []],
  ])('%s', (_, given, expected) => {
    const found = findRetryDefects(given, 3);
    expect(
      found.map(({ class: kind, what, place, isDoubt }) =>
        [kind, what, place, isDoubt && 'doubt'].filter(Boolean).join(' '),
      ),
    ).toEqual(expected);
  });

  test('is not judged if it did not meet the fault', () => {
    const unmet = charged.map((one) => ({
      ...one,
      hops: one.hops.map(({ injected: _, ...hop }) => hop),
    }));
    expect(findRetryDefects(trial(known, unmet), 3)).toEqual([]);
  });
});
