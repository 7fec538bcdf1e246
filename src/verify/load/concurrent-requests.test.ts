import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { type ScenarioStep, stepsOf } from '../measure/index.ts';
import type { Scenario } from '../traffic/index.ts';
import { type Burst, type ConcurrentTrial, stepsWithEffects } from './concurrent-requests.ts';
import { confirmConflicts, findConflictingRequests, findConflicts } from './conflicts.ts';

const burst = (bodies: readonly Json[], statuses: readonly number[] = [], calls = 4): Burst => ({
  texts: [],
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
/** The repeated request is answered with the effect of the first. */
const replayed = ['ch_1', 'ch_2', 'ch_3', 'ch_4'].map((charge) =>
  burst([{ charge }, { charge }], [201, 200]),
);
/** Accepted answers, with what else each has beside the name of the effect. */
const accepted = (name: (charge: string, n: number) => Json): Burst[] =>
  ['ch_11', 'ch_12', 'ch_13', 'ch_14'].map((charge) => ({
    ...burst([name(charge, 0), name(charge, 1)]),
    texts: ['A 17', `{"order":"ord_${charge.slice(3)}"}`],
  }));
const servedAt = (n: number): string => `2026-11-15T10:00:00.00${n}Z`;
const uuid = (n: number): string => `0190c0de-0000-4000-8000-00000000000${n}`;
/** A refusal names the request that it refuses. */
const refusing = burst(
  [{ charge: 'ch_1' }, { requestId: uuid(1) }, { requestId: uuid(2) }],
  [200, 409, 409],
);
/** Each request makes an order of its own; or all of them one, by one call. */
const apart = burst([{ order: 'ord_0001' }, { order: 'ord_0002' }]);
const merged = burst([{ order: 'ord_0001' }, { order: 'ord_0001' }], [], 1);
const colliding = burst([{ charge: 'ch_1' }, {}], [200, 502]);
const silent = burst([{ ok: true }, { ok: true }]);
const won = burst([{}, {}], [200, 409]);
const four = (...bursts: Burst[]): Burst[] =>
  Array.from({ length: 4 }, (_, n) => bursts[n % bursts.length] as Burst);
const steps: ScenarioStep[] = [];
const trial = (control: Burst[], candidate: Burst[]): ConcurrentTrial => ({
  steps,
  control,
  candidate,
});

describe('when equal requests arrive at the same time, a change', () => {
  test.each<[string, ConcurrentTrial, readonly string[]]>([
    ['gives the same answer', trial(four(same), four(same)), []],
    [
      'gives different answers where the baseline gives one',
      trial(four(same), four(other)),
      ['answers-disagree charge'],
    ],
    [
      'gives different answers in only half of the bursts',
      trial(four(same), four(other, same)),
      [],
    ],
    ['gives different answers as the baseline does', trial(four(same, other), four(other)), []],
    [
      'makes one of several requests',
      trial(four(apart), four(merged)),
      ['answers-merged order', 'effect-missing orders → payments POST'],
    ],
    ['makes one of several requests now and then', trial(four(apart), four(merged, apart)), []],
    [
      'fails all requests but one, even if seldom',
      trial(four(same), [colliding, same, same, same]),
      ['failed-together'],
    ],
    ['fails as the baseline does', trial(four(same, colliding), four(colliding)), []],
    ['accepts more than one', trial(four(won), four(same)), ['accepted-twice']],
    ['accepts all, and names the same effect to all', trial(four(won), replayed), []],
    ['accepts all, and names no effect', trial(four(won), four(silent)), ['accepted-twice']],
    [
      'names the same effect with different times',
      trial(
        four(won),
        accepted((charge, n) => ({ charge, servedAt: servedAt(n), at: 1.7e12 + n })),
      ),
      [],
    ],
    [
      'names the same effect by a number that is part of what was sent',
      trial(
        four(won),
        accepted((charge, n) => ({ charge: Number(charge.slice(4)), at: servedAt(n) })),
      ),
      [],
    ],
    [
      'names the same effect with different request ids',
      trial(
        four(won),
        accepted((charge, n) => ({ charge, seen: `request r${n}` })),
      ),
      [],
    ],
    [
      'names the same effect with an id that refusals also have',
      trial(
        four(refusing),
        accepted((charge, n) => ({ charge, requestId: uuid(n) })),
      ),
      [],
    ],
    [
      'names different effects and times',
      trial(
        four(won),
        accepted((charge, n) => ({ charge: `${charge}-${n}`, servedAt: servedAt(n) })),
      ),
      ['accepted-twice'],
    ],
    [
      'names the same effect and different receipts',
      trial(
        four(won),
        accepted((charge, n) => ({ charge, receipt: `rc_${n}`, at: servedAt(n) })),
      ),
      ['accepted-twice'],
    ],
    [
      'names only times and what was sent',
      trial(
        four(won),
        accepted((charge, n) => ({ order: `ord_${charge.slice(3)}`, paidAt: servedAt(n) })),
      ),
      ['accepted-twice'],
    ],
    [
      'repeats only what was sent',
      trial(
        four(won),
        accepted((charge) => ({ order: `ord_${charge.slice(3)}`, status: 'paid' })),
      ),
      ['accepted-twice'],
    ],
    [
      'names the same effect and repeats what was sent',
      trial(
        four(won),
        accepted((charge) => ({ order: `ord_${charge.slice(3)}`, status: 'paid', charge })),
      ),
      [],
    ],
    [
      'names only times and earlier answers',
      trial(
        four(won),
        accepted((_, n) => ({ number: 'A 17', paidAt: servedAt(n) })),
      ),
      ['accepted-twice'],
    ],
    ...['id', 'orderNumber'].map((name): [string, ConcurrentTrial, string[]] => [
      `names different effects by an ${name} that is as large as a timestamp`,
      trial(
        four(won),
        accepted((charge, n) => ({ charge, [name]: 1.7e9 + n })),
      ),
      ['accepted-twice'],
    ]),
    ...['created_at_ms', 'paidAt', 'timestamp'].map((name): [string, ConcurrentTrial, string[]] => [
      `names the same effect with different times in ${name}`,
      trial(
        four(won),
        accepted((charge, n) => ({ charge, [name]: 1.7e12 + n })),
      ),
      [],
    ]),
    [
      'names different effects that its own refusals name, too',
      trial(
        four(won),
        accepted((charge, n) => ({ charge, requestId: uuid(n) })).map((one) => ({
          ...one,
          answers: [...one.answers, ...refusing.answers.slice(1)],
        })),
      ),
      ['accepted-twice'],
    ],
    ['accepts fewer requests', trial(four(same), four(won)), []],
    [
      'makes more calls with an effect',
      trial(four(same), four(burst([{}, {}], [], 9))),
      ['effect-repeated orders → payments POST'],
    ],
    [
      'makes more calls, where the number varies on the baseline',
      trial(four(same, burst([{}, {}], [], 5)), four(burst([{}, {}], [], 9))),
      [],
    ],
  ])('%s', (_, given, expected) => {
    const found = findConflicts(given);
    expect(found.map(({ what, place }) => (place === null ? what : `${what} ${place}`))).toEqual(
      expected,
    );
  });
});

test('a large answer is read once, however much of it differs', () => {
  let reads = 0;
  const large = (charge: string, n: number): Json =>
    new Proxy<Record<string, Json>>(
      {
        charge,
        ...Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}At`, servedAt(n)])),
      },
      {
        ownKeys: (target) => {
          reads++;
          return Reflect.ownKeys(target);
        },
      },
    );
  const given = trial(four(won), accepted(large));
  expect(findConflicts(given)).toEqual([]);
  expect(reads).toBeLessThan(8 * 10);
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

test('each different request with an effect is sent once, after the steps that it needs', () => {
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
  const wanted = stepsWithEffects(stepsOf(scenarios, () => true));
  expect(wanted.map((one) => one.map(({ number }) => number))).toEqual([[0], [0, 2], [0, 4]]);
});

describe('a conflict', () => {
  const [paid = []] = stepsWithEffects(
    stepsOf([scenario('pay', ['POST', '/orders/ord_12345/payment', '', {}])], () => true),
  );
  const trialsOf = (candidate: readonly Burst[], control = four(same)) => [
    { steps: paid, control, candidate },
  ];
  const first = findConflictingRequests(trialsOf(four(other)), ['payments']);

  test('that a second start shows is a finding of the responsible service', () => {
    const { differences, shown } = confirmConflicts(trialsOf(four(other)), first, ['payments']);
    expect(differences).toMatchObject([
      {
        class: 'load',
        what: 'answers-disagree',
        service: 'payments',
        place: 'POST /orders/(id)/payment charge',
        after: '2 different values in 2 concurrent answers',
      },
    ]);
    expect(shown).not.toHaveLength(0);
  });

  test.each([
    ['the second start does not show it', four(same), ['payments']],
    ['the requests did not reach a changed service', four(other), ['pricing']],
  ])('is no finding if %s', (_, again, services) => {
    const { differences } = confirmConflicts(trialsOf(again), first, services);
    expect(differences).toEqual([]);
  });

  const twice = burst([{}, {}], [], 9);
  const rare = [twice, same, same, same];
  const shownOnce = findConflictingRequests(trialsOf(rare), ['payments']);

  test('that one burst of four shows leaves the verdict open, unless the baseline shows it', () => {
    const judge = (candidate: readonly Burst[], control = four(same)) =>
      confirmConflicts(trialsOf(candidate, control), shownOnce, ['payments']);
    expect(judge(four(same))).toMatchObject({
      differences: [],
      undecided: [
        'POST /orders/(id)/payment, orders → payments POST: effect repeated (9 times) ' +
          'in 1 of 8 bursts of concurrent requests, never without the change',
      ],
    });
    expect(judge(four(same), [same, twice, same, same]).undecided).toEqual([]);
    expect(judge(four(twice))).toMatchObject({
      differences: [{ what: 'effect-repeated' }],
      undecided: [],
    });
  });
});
