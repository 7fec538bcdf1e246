import { describe, expect, test } from 'vitest';
import { seeded } from '../../../tests/harness/seeded.ts';
import type { Json } from '../../kernel/index.ts';
import type { Round, RoundSide } from '../observe/round.ts';
import { ComparedRounds } from './compared-rounds.ts';
import { type Confirmation, confirmRounds, needsAnotherRound } from './confirmation.ts';
import { request } from './recorded.fixture.ts';

type Pick = <Value>(...values: Value[]) => Value;

/** A request to a shop, which shows a random advertisement and charges a card. */
function side(pick: Pick, charged: Json = 12, stock: Json = 3): RoundSide {
  const status = pick(200, 200, 200, 503);
  const ad = { text: pick('red', 'blue'), tags: pick([], ['sale']) };
  const calls = [
    { from: 'shop', to: 'ads', path: '/ads', method: 'GET', status, responseBody: ad },
    { from: 'shop', to: 'stock', path: '/stock', method: 'GET', responseBody: { stock } },
    { from: 'shop', to: 'payments', path: '/charges', responseBody: { charged } },
  ];
  const shown = { paid: charged, ad: status === 200 ? ad : null };
  const hops = request(calls, { to: 'shop', path: '/checkout', responseBody: shown });
  return { runs: [], hops, lastHop: 0 };
}

/** As many rounds as a verification runs. */
async function verify(
  seed: number,
  make: (pick: Pick) => Round,
): Promise<Confirmation & { rounds: number }> {
  const random = seeded(seed);
  const pick: Pick = (...values) => values[Math.floor(random() * values.length)] as never;
  const compared = new ComparedRounds(['payments']);
  do await compared.add(make(pick));
  while (needsAnotherRound(compared));
  return { ...confirmRounds(compared), rounds: compared.rounds.length };
}

const seeds = Array.from({ length: 150 }, (_, index) => index);

describe('random answers of an unchanged service', () => {
  // proves: verify.noise
  test('are neither findings nor doubts', async () => {
    const same = (pick: Pick): Round => ({ control: side(pick), candidate: side(pick) });
    const all = await Promise.all(seeds.map((seed) => verify(seed, same)));
    expect(all.flatMap(({ differences, doubts }) => [...differences, ...doubts])).toEqual([]);
  });

  test('are no findings beside one of the changed service', async () => {
    const broken = (pick: Pick): Round => ({ control: side(pick), candidate: side(pick, '12') });
    const all = await Promise.all(seeds.map((seed) => verify(seed, broken)));
    for (const { differences, rounds } of all) {
      expect(rounds).toBe(2);
      expect(differences[0]).toMatchObject({ service: 'payments', what: 'type-changed' });
      expect(differences.filter(({ service }) => service === 'ads')).toEqual([]);
    }
  });
});

test('a random answer to other requests than those that fail is no finding', async () => {
  const page = (pick: Pick): RoundSide['hops'] =>
    request([{ from: 'shop', to: 'payments', path: '/limits', method: 'GET' }], {
      to: 'shop',
      path: '/home',
      method: 'GET',
      responseBody: { ad: pick(null, { text: 'red' }) },
    });
  const withPage = (pick: Pick, one: RoundSide): RoundSide => ({
    ...one,
    hops: [...one.hops, ...page(pick)],
  });
  const broken = (pick: Pick): Round => ({
    control: withPage(pick, side(pick)),
    candidate: withPage(pick, side(pick, '12')),
  });
  const all = await Promise.all(seeds.map((seed) => verify(seed, broken)));
  const named = all.flatMap(({ differences }) => differences.map(({ hop }) => hop));
  expect(named).toContain('shop → payments POST /charges');
  expect(named).not.toContain('outside → shop GET /home');
});

test('a difference of an unchanged service is a finding if eight rounds show it', async () => {
  const emptied = (pick: Pick): Round => ({
    control: side(pick),
    candidate: side(pick, 12, 'none'),
  });
  const { differences, rounds } = await verify(1, emptied);
  expect(differences).toMatchObject([{ service: 'stock', what: 'type-changed' }]);
  expect(rounds).toBe(8);
});
