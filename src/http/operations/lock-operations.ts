import { z } from 'zod';
import {
  lockAnswerSchema,
  lockHoldSchema,
  lockRenewalSchema,
  lockRequestSchema,
  lockSchema,
  lockTicketSchema,
} from '../../gate/locks/api-schema.ts';
import { apiLimits } from '../limits.ts';
import { type Operation, readers } from './operation.ts';

const waitMs = z.coerce.number().int().min(0).max(apiLimits.waitMsMax).default(0);

/** Named locks and semaphores. */
export const lockOperations = {
  'POST /v1/locks/acquire': {
    summary: 'Takes a lock or a place in its queue, and waits for it if asked to.',
    query: z.strictObject({ waitMs: waitMs.describe('How long this request waits.') }),
    body: lockRequestSchema,
    response: lockAnswerSchema,
    roles: ['agent', 'developer'],
  },
  'POST /v1/locks/wait': {
    summary: 'Waits until a place in the queue is a lock, and shows the position.',
    query: z.strictObject({ waitMs: waitMs.describe('How long this request waits.') }),
    body: lockTicketSchema.extend({
      task: z.string().optional().describe('The task that waits, if it is one.'),
    }),
    response: lockAnswerSchema,
    roles: ['agent', 'developer'],
  },
  'POST /v1/locks/renew': {
    summary: 'Extends the lease of a lock that is held.',
    body: lockRenewalSchema,
    response: z.object({ lock: z.string(), fence: z.int(), expiresAt: z.int() }),
    roles: ['agent', 'developer'],
  },
  'POST /v1/locks/release': {
    summary: 'Gives a lock back. The first one in the queue gets it.',
    body: lockHoldSchema,
    response: lockHoldSchema,
    roles: ['agent', 'developer', 'operator'],
  },
  'POST /v1/locks/leave': {
    summary: 'Leaves the queue of a lock.',
    body: lockTicketSchema,
    response: lockTicketSchema,
    roles: ['agent', 'developer', 'operator'],
  },
  'POST /v1/locks/check': {
    summary: 'For executors: whether a fence is the current one. Fails with LEASE_LOST if not.',
    body: lockHoldSchema,
    response: lockHoldSchema.extend({ owner: z.string() }),
    roles: ['agent', ...readers],
  },
  'GET /v1/locks': {
    summary: 'Locks that somebody holds or waits for, with the queue in its order.',
    response: z.object({ locks: z.array(lockSchema) }),
    roles: ['agent', ...readers],
  },
} as const satisfies Record<string, Operation>;
