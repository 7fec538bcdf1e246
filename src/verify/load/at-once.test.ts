import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { type Step, stepsOf } from '../measure/index.ts';
import type { Scenario } from '../traffic/index.ts';
import { type AtOnce, type Burst, stepsAtOnce } from './at-once.ts';
import { findAgain, lookAtOnce } from './clashes.ts';
import { findClashes } from './judge-at-once.ts';
import type { Stage } from './stage.ts';

const burst = (bodies: readonly Json[], statuses: readonly number[] = [], calls = 4): Burst => ({
  said: [],
  answers: bodies.map((body, n) => ({ id: `r${n}`, status: statuses[n] ?? 200, body })),
  hops: Array.from(
    { length: calls },
    (_, n): Hop => ({
      ...hop(),
      from: 'orders',
      to: 'payments',
      method: 'POST',
      requestId: `r${n}`,
    }),
  ),
});

const same = burst([
  { charge: 'ch_1', at: 1 },
  { charge: 'ch_1', at: 2 },
]);
const other = burst([
  { charge: 'ch_1', at: 1 },
  { charge: 'ch_2', at: 2 },
]);
/** Whoever asks again is told of the one that there is. */
const replayed = ['ch_1', 'ch_2', 'ch_3', 'ch_4'].map((charge) =>
  burst([{ charge }, { charge }], [201, 200]),
);
/** Answers that were accepted, and what else stands in each beside what names the effect. */
const told = (name: (charge: string, n: number) => Json): Burst[] =>
  ['ch_11', 'ch_12', 'ch_13', 'ch_14'].map((charge) => ({
    ...burst([name(charge, 0), name(charge, 1)]),
    said: ['A 17', `{"order":"ord_${charge.slice(3)}"}`],
  }));
const servedAt = (n: number): string => `2026-11-15T10:00:00.00${n}Z`;
const uuid = (n: number): string => `0190c0de-0000-4000-8000-00000000000${n}`;
/** A refusal says which request it refuses. */
const refusing = burst(
  [{ charge: 'ch_1' }, { requestId: uuid(1) }, { requestId: uuid(2) }],
  [200, 409, 409],
);
const silent = burst([{ ok: true }, { ok: true }]);
const won = burst([{}, {}], [200, 409]);
const four = (...bursts: Burst[]): Burst[] =>
  Array.from({ length: 4 }, (_, n) => bursts[n % bursts.length] as Burst);
const steps: Step[] = [];
const atOnce = (control: Burst[], candidate: Burst[]): AtOnce => ({ steps, control, candidate });

describe('of the same request at once, a change', () => {
  test.each<[string, AtOnce, readonly string[]]>([
    ['gives the same answer', atOnce(four(same), four(same)), []],
    ['makes two of one', atOnce(four(same), four(other)), ['answers-disagree charge']],
    ['does so only now and then', atOnce(four(same), four(other, same)), []],
    ['does as the version before did', atOnce(four(same, other), four(other)), []],
    ['accepts more', atOnce(four(won), four(same)), ['accepted-twice']],
    ['tells all of the one that was accepted', atOnce(four(won), replayed), []],
    ['accepts more and does not say what', atOnce(four(won), four(silent)), ['accepted-twice']],
    [
      'tells of the one, and when it was asked',
      atOnce(
        four(won),
        told((charge, n) => ({ charge, servedAt: servedAt(n), at: 1.7e12 + n })),
      ),
      [],
    ],
    [
      'tells of the one, by a number that is a part of what was sent',
      atOnce(
        four(won),
        told((charge, n) => ({ charge: Number(charge.slice(4)), at: servedAt(n) })),
      ),
      [],
    ],
    [
      'tells of the one, and which request asked',
      atOnce(
        four(won),
        told((charge, n) => ({ charge, seen: `request r${n}` })),
      ),
      [],
    ],
    [
      'tells of the one, with an id as refusals have it',
      atOnce(
        four(refusing),
        told((charge, n) => ({ charge, requestId: uuid(n) })),
      ),
      [],
    ],
    [
      'tells of another one each time, and when',
      atOnce(
        four(won),
        told((charge, n) => ({ charge: `${charge}-${n}`, servedAt: servedAt(n) })),
      ),
      ['accepted-twice'],
    ],
    [
      'makes a second row beside the one',
      atOnce(
        four(won),
        told((charge, n) => ({ charge, receipt: `rc_${n}`, at: servedAt(n) })),
      ),
      ['accepted-twice'],
    ],
    [
      'tells when, and of nothing but what was sent',
      atOnce(
        four(won),
        told((charge, n) => ({ order: `ord_${charge.slice(3)}`, paidAt: servedAt(n) })),
      ),
      ['accepted-twice'],
    ],
    [
      'tells of nothing but what was sent, word for word',
      atOnce(
        four(won),
        told((charge) => ({ order: `ord_${charge.slice(3)}`, status: 'paid' })),
      ),
      ['accepted-twice'],
    ],
    [
      'tells of the one, word for word, and of what was sent',
      atOnce(
        four(won),
        told((charge) => ({ order: `ord_${charge.slice(3)}`, status: 'paid', charge })),
      ),
      [],
    ],
    [
      'tells when, and of nothing but what was answered before',
      atOnce(
        four(won),
        told((_, n) => ({ number: 'A 17', paidAt: servedAt(n) })),
      ),
      ['accepted-twice'],
    ],
    ...['id', 'orderNumber'].map((name): [string, AtOnce, string[]] => [
      `makes a second one, by an ${name} that is as large as a moment`,
      atOnce(
        four(won),
        told((charge, n) => ({ charge, [name]: 1.7e9 + n })),
      ),
      ['accepted-twice'],
    ]),
    ...['created_at_ms', 'paidAt', 'timestamp'].map((name): [string, AtOnce, string[]] => [
      `tells of the one, and when, as ${name}`,
      atOnce(
        four(won),
        told((charge, n) => ({ charge, [name]: 1.7e12 + n })),
      ),
      [],
    ]),
    [
      'makes a second one that its own refusals name as well',
      atOnce(
        four(won),
        told((charge, n) => ({ charge, requestId: uuid(n) })).map((one) => ({
          ...one,
          answers: [...one.answers, ...refusing.answers.slice(1)],
        })),
      ),
      ['accepted-twice'],
    ],
    ['accepts fewer', atOnce(four(same), four(won)), []],
    [
      'asks others more often',
      atOnce(four(same), four(burst([{}, {}], [], 9))),
      ['effect-repeated orders → payments POST'],
    ],
    [
      'asks others now more, now less',
      atOnce(four(same, burst([{}, {}], [], 5)), four(burst([{}, {}], [], 9))),
      [],
    ],
  ])('%s', (_, given, expected) => {
    const found = findClashes(given);
    expect(found.map(({ what, place }) => (place === null ? what : `${what} ${place}`))).toEqual(
      expected,
    );
  });
});

test('a large answer is looked through once, however much of it differs', () => {
  let looks = 0;
  const large = (charge: string, n: number): Json =>
    new Proxy<Record<string, Json>>(
      {
        charge,
        ...Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}At`, servedAt(n)])),
      },
      {
        ownKeys: (target) => {
          looks++;
          return Reflect.ownKeys(target);
        },
      },
    );
  const given = atOnce(four(won), told(large));
  expect(findClashes(given)).toEqual([]);
  expect(looks).toBeLessThan(8 * 10);
});

const scenario = (name: string, ...requests: [string, string, string, Json][]): Scenario => ({
  name,
  requests: requests.map(([method, path, body, answer]) => ({
    method,
    path,
    headers: [],
    body: Buffer.from(body),
    status: 200,
    answer,
  })),
});

test('each kind of request that does something is sent once, after what it needs', () => {
  const scenarios = [
    scenario(
      'pay',
      ['POST', '/orders', '{}', { id: 'ord_12345' }],
      ['GET', '/prices', '', {}],
      ['POST', '/orders/ord_12345/payment', 'card', {}],
      ['POST', '/orders/ord_12345/payment', 'card', {}],
      ['POST', '/orders/ord_12345/payment', 'cash', {}],
    ),
    scenario('again', ['POST', '/orders', '{}', { id: 'ord_67890' }]),
  ];
  const wanted = stepsAtOnce(stepsOf(scenarios, () => true));
  expect(wanted.map((one) => one.map(({ number }) => number))).toEqual([[0], [0, 2], [0, 4]]);
});

describe('what clashes', () => {
  const [paid = []] = stepsAtOnce(
    stepsOf([scenario('pay', ['POST', '/orders/ord_12345/payment', '', {}])], () => true),
  );
  const stage = (candidate: Burst[]): Stage =>
    ({ sendAtOnce: async () => [{ steps: paid, control: four(same), candidate }] }) as never;

  test('is told once a second start shows it, with whose doing it is', async () => {
    const first = await lookAtOnce(stage(four(other)), ['payments']);
    const { differences, shown } = await findAgain(stage(four(other)), first, ['payments']);
    expect(differences).toMatchObject([
      {
        class: 'load',
        what: 'answers-disagree',
        service: 'payments',
        place: 'POST /orders/(id)/payment charge',
        after: '2 different ones in 2 answers at once',
      },
    ]);
    expect(shown).not.toHaveLength(0);
  });

  test.each([
    ['where the second start does not show it', four(same), ['payments']],
    ['where the requests did not come to a changed service', four(other), ['pricing']],
  ])('is not told %s', async (_, again, services) => {
    const first = await lookAtOnce(stage(four(other)), ['payments']);
    expect((await findAgain(stage(again), first, services)).differences).toEqual([]);
  });
});
