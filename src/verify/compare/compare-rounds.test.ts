import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Disputed } from '../history/disputed.ts';
import type { Round, Side } from '../observe/round.ts';
import { compareInTurns, compareRounds } from './compare-rounds.ts';
import { compareAhead, confirm } from './confirmation.ts';
import { findDifferences } from './index.ts';
import { hop } from './recorded.fixture.ts';

const changed = ['pricing'];
const routes = 40;

/** Many calls of many names, in which an amount is a number or a text. */
const side = (amount: number | string, status = 200): Side => ({
  runs: [],
  hops: Array.from({ length: routes * 3 }, (_, n) =>
    hop({ path: `/route${'abcdefghij'[n % 10]}${'abcd'[n % 4]}`, requestBody: { amount }, status }),
  ),
  lastHop: 0,
});
const round = (candidate: Side): Round => ({ control: side(1), candidate });

/** How often others had their turn meanwhile. */
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

test('while rounds are compared others are answered, after every hop', async () => {
  const [one, other] = [round(side('1')), round(side('1', 500))];
  const judged = { changed, disputed: new Disputed([]) };
  const names = new Set(one.candidate.hops.map(({ path }) => path)).size;
  expect(names).toBeGreaterThan(10);
  expect(await turnsDuring(() => compareInTurns(one, other, judged))).toBeGreaterThanOrEqual(names);
});

test('what is compared in turns is the same, and found out once', async () => {
  const judged = { changed, disputed: new Disputed([]) };
  const rounds = [round(side('1')), round(side('1', 500))];
  await compareAhead(rounds, judged);
  const [one, other] = rounds as [Round, Round];
  const found = compareRounds(one, other, judged);
  expect(found).toEqual(findDifferences({ ...one, baseline: other.control }, changed));
  expect(found).not.toHaveLength(0);
  expect(compareRounds(one, other, judged)).toBe(found);
  expect(await turnsDuring(() => compareAhead(rounds, judged))).toBeLessThan(10);
  expect(confirm(rounds, changed, judged.disputed)).toEqual(confirm(rounds, changed));
});
