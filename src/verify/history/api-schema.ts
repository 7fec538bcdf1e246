import { z } from 'zod';
import type { Immutable } from '../../kernel/index.ts';

const week = z.object({
  week: z.string().describe('Its Monday; `all` for the sum.'),
  pass: z.int(),
  fail: z.int(),
  inconclusive: z.int(),
  green: z.int().describe('Tasks whose change passed.'),
  attempts: z.int().describe('The number of changes that this took.'),
  firstTry: z.int().describe('Tasks whose first change passed.'),
  promotions: z.int(),
  returns: z.int().describe('Promotions that were returned.'),
  incidents: z.int().describe('Promotions that caused an incident and were not returned.'),
  findings: z.int().describe('Findings that no earlier verdict had.'),
  disputes: z.int().describe('Findings that were disputed.'),
});

/** The verifications of one week. */
export type WeekRow = Immutable<z.infer<typeof week>>;

const share = z.number().nullable().describe('Null if there was nothing to count.');

export const statsSchema = z.object({
  weeks: z.array(week),
  all: week,
  /** Share of verdicts that passed. */
  successRate: share,
  /** Average number of changes until one passed. */
  attemptsToGreen: share,
  firstTryRate: share,
  /** Share of promotions that were returned or caused an incident. */
  escapeRate: share,
  /** Share of findings that were disputed. */
  falseAlarmRate: share,
});

export type VerifyStats = Immutable<z.infer<typeof statsSchema>>;

export const listedVerdictSchema = z.object({
  id: z.string(),
  at: z.int(),
  verdict: z.enum(['pass', 'fail', 'inconclusive']),
  reason: z.string(),
  change: z.string(),
  base: z.string(),
  services: z.array(z.string()),
  actor: z.string(),
});

/** A verdict in a list. */
export type ListedVerdict = Immutable<z.infer<typeof listedVerdictSchema>>;
