import { z } from 'zod';
import type { Immutable } from '../../kernel/index.ts';

export const laneCheckRequestSchema = z.strictObject({
  suites: z.array(z.string()).min(1).optional().describe('Only these suites. All if left out.'),
});

export type LaneCheckRequest = Immutable<z.infer<typeof laneCheckRequestSchema>>;

const checkedCall = z.object({
  from: z.string().nullable().describe('The service that called; null for a request from outside.'),
  to: z.string(),
  key: z
    .enum(['kept', 'recovered', 'lost', 'unseen'])
    .describe(
      '`recovered`: only the trace id still identified the lane. `unseen`: surety.yaml has this call, and no request led to it.',
    ),
  count: z.int().describe('How many calls there were.'),
});

export type CheckedCall = Immutable<z.infer<typeof checkedCall>>;

const checkedLoss = z.object({
  service: z.string().nullable().describe('Who lost the key, as far as that can be known.'),
  to: z.string(),
  key: z.enum(['recovered', 'lost']),
  cause: z.string().describe('What happened, as a sentence.'),
  language: z.enum(['node', 'go', 'python', 'java', 'dotnet', 'other']),
  fix: z.string().describe('What to change in that service or in surety.yaml.'),
});

export type CheckedLoss = Immutable<z.infer<typeof checkedLoss>>;

export const laneCheckSchema = z.object({
  version: z.string().describe('The version of the baseline that was checked.'),
  routes: z.array(z.string()).describe('The routes of which a request was sent.'),
  unsent: z.array(z.string()).describe('Known routes of which none was sent, with the reason.'),
  calls: z.array(checkedCall),
  losses: z.array(checkedLoss),
  copies: z
    .array(z.string())
    .describe('Services without the preload that ran as copies, which shows all their calls.'),
  unchecked: z
    .array(z.object({ service: z.string(), why: z.string() }))
    .describe('Services without the preload of which the check sees only calls with the key.'),
});

/** Which calls between services keep the key of a lane. */
export type LaneCheck = Immutable<z.infer<typeof laneCheckSchema>>;
