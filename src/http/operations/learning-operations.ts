import { z } from 'zod';
import { disputeSchema } from '../../verify/api-schema.ts';
import { disputeRequestSchema, gapsSchema, statsSchema } from '../../verify/history/api-schema.ts';
import { type Operation, readers } from './operation.ts';

/** What verdicts were worth, and which of them were wrong. */
export const learningOperations = {
  'GET /v1/disputes': {
    summary: 'The findings that are disputed now.',
    response: z.object({ disputes: z.array(disputeSchema) }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/disputes': {
    summary: 'Says that a finding is none: it fails nothing for some days. Not for agents.',
    body: disputeRequestSchema,
    response: disputeSchema,
    roles: ['developer', 'operator', 'approver'],
  },
  'GET /v1/stats': {
    summary: 'How often changes passed, after how many attempts, and what escaped.',
    query: z.strictObject({ weeks: z.coerce.number().int().min(1).max(520).default(12) }),
    response: statsSchema,
    roles: [...readers, 'agent'],
  },
  'GET /v1/gaps': {
    summary: 'What no suite and no verdict has exercised, and what verdicts and lanes cost.',
    query: z.strictObject({ weeks: z.coerce.number().int().min(1).max(520).default(4) }),
    response: gapsSchema,
    roles: readers,
  },
} as const satisfies Record<string, Operation>;
