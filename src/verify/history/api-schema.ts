import { z } from 'zod';
import type { Immutable } from '../../kernel/index.ts';
import { verifyLimits } from '../limits.ts';

export const findingId = z.string().regex(/^fnd_[0-9a-f]{16}$/, 'use the id of a finding: fnd_…');

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

export const disputeRequestSchema = z.strictObject({
  finding: findingId,
  reason: z.string().min(1).max(500),
  days: z
    .int()
    .min(0)
    .max(verifyLimits.disputeDaysMax)
    .default(14)
    .describe('0 withdraws the dispute.'),
});

export type DisputeRequest = Immutable<z.infer<typeof disputeRequestSchema>>;
