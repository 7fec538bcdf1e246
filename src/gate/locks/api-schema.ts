import { z } from 'zod';
import { type Immutable, sharedLimits } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';

const lock = z
  .string()
  .regex(/^[A-Za-z0-9][\w./:@-]{0,199}$/, 'use letters, digits and . / : @ - _')
  .describe('Its name, such as staging-database; it stays in the ledger for ever.');
const task = z.string().min(1).max(100).describe('The task that holds it; the caller if left out.');
const fence = z.int().min(1).describe('The fencing token from the answer that gave the lock.');
const leaseMs = z.int().min(1).max(sharedLimits.leaseMsMax);

export const lockRequestSchema = z.strictObject({
  lock,
  task: task.exactOptional(),
  slots: z
    .int()
    .min(1)
    .max(gateLimits.lockSlotsMax)
    .default(1)
    .describe('Holders at the same time: 1 is a lock, more make it a semaphore.'),
  leaseMs: leaseMs.default(60_000).describe('How long it is held without being renewed.'),
  priority: z
    .int()
    .min(0)
    .max(gateLimits.lockPriorityMax)
    .default(0)
    .describe(`One step is worth ${gateLimits.lockAgeingMs / 1_000} s of waiting.`),
  queueMs: z
    .int()
    .min(0)
    .max(gateLimits.lockQueueMsMax)
    .default(gateLimits.lockQueueMsMax)
    .describe('How long to stay in the queue; 0 does not queue.'),
});

export type LockRequest = Immutable<z.output<typeof lockRequestSchema>>;

export const lockHoldSchema = z.strictObject({ lock, fence });
export const lockRenewalSchema = lockHoldSchema.extend({ leaseMs: leaseMs.default(60_000) });
export const lockTicketSchema = z.strictObject({ lock, ticket: z.string().min(1).max(100) });

export type LockHold = Immutable<z.infer<typeof lockHoldSchema>>;
export type LockRenewal = Immutable<z.output<typeof lockRenewalSchema>>;
export type LockTicket = Immutable<z.infer<typeof lockTicketSchema>>;

export const lockAnswerSchema = z.object({
  lock,
  state: z.enum(['held', 'waiting', 'gone']).describe('`gone`: no longer in the queue.'),
  fence: z.int().nullable().describe('Show it with every call that the lock protects.'),
  expiresAt: z.int().nullable(),
  ticket: z.string().nullable().describe('The place in the queue.'),
  position: z.int().nullable().describe('In the queue; 1 is next.'),
  heldBy: z.array(z.string()),
});

export type LockAnswer = Immutable<z.infer<typeof lockAnswerSchema>>;

export const lockSchema = z.object({
  lock: z.string(),
  slots: z.int(),
  holders: z.array(z.object({ owner: z.string(), fence: z.int(), expiresAt: z.int() })),
  queue: z.array(z.object({ position: z.int(), owner: z.string(), since: z.int() })),
});

export type ShownLock = Immutable<z.infer<typeof lockSchema>>;
