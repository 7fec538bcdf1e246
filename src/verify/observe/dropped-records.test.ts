import { expect, test } from 'vitest';
import { findDropped } from './dropped-records.ts';
import type { Round, RoundSide } from './round.ts';

const side = (...dropped: string[]): RoundSide => ({ runs: [], hops: [], lastHop: 0, dropped });
const round = (control: RoundSide, candidate: RoundSide): Round => ({ control, candidate });
const lines = 'lines of pricing';

test.each<[string, Round[], number, number]>([
  ['none', [round(side(), side())], 0, 0],
  ['of the change', [round(side(), side()), round(side(), side(lines))], 1, 0],
  ['of both', [round(side(lines), side(lines))], 0, 1],
  ['of both, in other rounds', [round(side(lines), side()), round(side(), side(lines))], 0, 1],
  ['of the control', [round(side('calls'), side())], 0, 1],
  ['of different kinds on either version', [round(side('calls'), side(lines))], 1, 1],
])('dropped records become a doubt or a remark: %s', (_, rounds, doubts, remarks) => {
  const told = findDropped(rounds);
  expect([told.doubts.length, told.remarks.length]).toEqual([doubts, remarks]);
});
