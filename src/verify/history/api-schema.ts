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

const unverifiedRoute = z.object({
  service: z.string(),
  route: z.string().describe('`POST /orders`'),
  requests: z.int().describe('Requests of real traffic since the oldest that is stored.'),
});

export type UnverifiedRoute = Immutable<z.infer<typeof unverifiedRoute>>;

const cost = z.object({
  week: z.string().describe('Its Monday.'),
  actor: z.string().describe('Who asked for the verdicts, or opened the lanes.'),
  verdicts: z.int(),
  lanes: z.int().describe('Lanes whose use is known, those of verdicts among them.'),
  cpuSeconds: z.number().describe('Of the processes in these lanes.'),
  memoryGbHours: z.number().describe('The memory of these processes, times how long they ran.'),
  verdictMinutes: z.number().describe('From the requests to the verdicts.'),
});

/** What somebody's lanes and verdicts took in one week. */
export type CostRow = Immutable<z.infer<typeof cost>>;

export const gapsSchema = z.object({
  since: z.int(),
  verdicts: z.int().describe('How many were read: the last one of each change, at most 200.'),
  routes: z
    .array(unverifiedRoute)
    .nullable()
    .describe('Routes in real traffic that no lane got a request for; null without telemetry.'),
  services: z.array(z.string()).describe('Services that no verdict was about.'),
  unexecuted: z
    .array(
      z.object({
        file: z.string(),
        line: z.int(),
        text: z.string(),
        condition: z.string().nullable().describe('What has to hold for it to run.'),
        verdict: z.string(),
      }),
    )
    .describe('Changed code that no request ran, at most 50 places.'),
  kinds: z
    .array(z.object({ kind: z.string(), changes: z.int(), executed: z.int() }))
    .describe(
      'By the ending of changed files: changes, and those whose code is known to have run.',
    ),
  suites: z
    .array(
      z.object({
        suite: z.string(),
        runs: z.int(),
        caught: z.int().describe('Changes that failed a check of it.'),
        lastCaughtAt: z.int().nullable(),
      }),
    )
    .describe('Every suite of surety.yaml.'),
  costs: z.array(cost),
});

/** What nobody verifies, and what verdicts cost. */
export type Gaps = Immutable<z.infer<typeof gapsSchema>>;

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
