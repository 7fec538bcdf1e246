import { z } from 'zod';
import { limits } from '../../kernel/index.ts';
import { type Operation, readers } from './operation.ts';
import { disputeSchema } from './verdict-schema.ts';

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

const share = z.number().nullable().describe('Null where there was nothing to count.');

/** What verdicts were worth, and which of them were wrong. */
export const learningOperations = {
  'GET /v1/disputes': {
    summary: 'The findings that are disputed now.',
    response: z.object({ disputes: z.array(disputeSchema) }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/disputes': {
    summary: 'Says that a finding is none: it fails nothing for some days. Not for agents.',
    body: z.strictObject({
      finding: z.string().regex(/^fnd_[0-9a-f]{16}$/, 'use the id of a finding: fnd_…'),
      reason: z.string().min(1).max(500),
      days: z.int().min(0).max(limits.disputeDaysMax).default(14).describe('0 takes it back.'),
    }),
    response: disputeSchema,
    roles: ['developer', 'operator', 'approver'],
  },
  'GET /v1/stats': {
    summary: 'How often changes passed, after how many attempts, and what escaped.',
    query: z.strictObject({ weeks: z.coerce.number().int().min(1).max(520).default(12) }),
    response: z.object({
      weeks: z.array(week),
      all: week,
      successRate: share,
      attemptsToGreen: share,
      firstTryRate: share,
      escapeRate: share,
      falseAlarmRate: share,
    }),
    roles: [...readers, 'agent'],
  },
} as const satisfies Record<string, Operation>;
