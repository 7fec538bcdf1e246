import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Round, RoundSide } from '../observe/round.ts';
import { ComparedRounds } from './compared-rounds.ts';
import { findDifferences } from './index.ts';
import { hop } from './recorded.fixture.ts';

const changed = ['pricing'];
const routes = 40;

/** Many calls of many names, in which an amount is a number or a text. */
const side = (amount: number | string, status = 200): RoundSide => ({
  runs: [],
  hops: Array.from({ length: routes * 3 }, (_, n) =>
    hop({ path: `/route${'abcdefghij'[n % 10]}${'abcd'[n % 4]}`, requestBody: { amount }, status }),
  ),
  lastHop: 0,
});
const round = (candidate: RoundSide): Round => ({ control: side(1), candidate });

/** How often other work got its turn meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false];
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await turn();
    turns += 1;
  }
  await done;
  return turns;
}

test('comparing rounds lets other work run after every hop', async () => {
  const compared = new ComparedRounds(changed);
  const one = round(side('1'));
  const names = new Set(one.candidate.hops.map(({ path }) => path)).size;
  expect(names).toBeGreaterThan(10);
  expect(await turnsDuring(() => compared.add(one))).toBeGreaterThanOrEqual(names);
});

test('a round is compared with the controls of the other rounds', async () => {
  const rounds = [round(side('1')), round(side('1', 500))] as const;
  const compared = new ComparedRounds(changed);
  for (const one of rounds) await compared.add(one);
  const [first, second] = compared.differences();
  const [one, other] = rounds;
  expect(first).toEqual(findDifferences({ ...one, baseline: other.control }, changed));
  expect(second).toEqual(findDifferences({ ...other, baseline: one.control }, changed));
  expect(first).not.toHaveLength(0);
});

test('a round keeps what was sent beside its suites, for the verdict and the next round', async () => {
  const extraTraffic = { scenarios: [], remarks: ['not sent'], unsent: ['GET /rates'] };
  const compared = new ComparedRounds(changed);
  await compared.add({ ...round(side(1)), extraTraffic });
  expect(compared.rounds[0]).toMatchObject({ extraTraffic });
});
