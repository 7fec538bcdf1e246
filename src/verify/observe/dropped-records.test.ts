import { expect, test } from 'vitest';
import { findDropped } from './dropped-records.ts';
import type { Round, Side } from './round.ts';

const side = (...dropped: string[]): Side => ({ runs: [], hops: [], lastHop: 0, dropped });
const round = (control: Side, candidate: Side): Round => ({ control, candidate });
const lines = 'lines of pricing';

test.each<[string, Round[], number, number]>([
  ['nothing', [round(side(), side())], 0, 0],
  ['of the change', [round(side(), side()), round(side(), side(lines))], 1, 0],
  ['of both', [round(side(lines), side(lines))], 0, 1],
  ['of both, in other rounds', [round(side(lines), side()), round(side(), side(lines))], 0, 1],
  ['of the version that runs', [round(side('calls'), side())], 0, 1],
  ['of either, but not the same', [round(side('calls'), side(lines))], 1, 1],
])('what could not be looked at, %s, is told', (_, rounds, doubts, remarks) => {
  const told = findDropped(rounds);
  expect([told.doubts.length, told.remarks.length]).toEqual([doubts, remarks]);
});
