import { z } from 'zod';
import type { Immutable } from '../../kernel/index.ts';

const week = z.object({
  week: z.string().describe('Its Monday; `all` for the sum.'),
  pass: z.int(),
  fail: z.int(),
  inconclusive: z.int(),
  green: z.int().describe('Tasks whose change passed.'),
  attempts: z.int().describe('Changes that this took in all.'),
  firstTry: z.int().describe('Tasks whose first change passed.'),
  promotions: z.int(),
  returns: z.int().describe('Promotions that were taken back.'),
  incidents: z.int().describe('Promotions that an incident came of, and that were not taken back.'),
  findings: z.int().describe('Those that no verdict had before.'),
  disputes: z.int().describe('Of findings, those that were said to be none.'),
});

/** What came of verifications in one week. */
export type WeekRow = Immutable<z.infer<typeof week>>;

const share = z.number().nullable().describe('Null where there was nothing to count.');

export const statsSchema = z.object({
  weeks: z.array(week),
  all: week,
  /** Verdicts that passed. */
  successRate: share,
  /** Changes that it took until one passed. */
  attemptsToGreen: share,
  firstTryRate: share,
  /** Promotions that were taken back or caused an incident. */
  escapeRate: share,
  /** Findings that were disputed, of all that there were. */
  falseAlarmRate: share,
});

export type VerifyStats = Immutable<z.infer<typeof statsSchema>>;
