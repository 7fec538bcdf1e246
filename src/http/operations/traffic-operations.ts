import { z } from 'zod';
import type { Operation } from './operation.ts';

const scenario = z.object({
  id: z.string(),
  at: z.int().describe('When its first request came; milliseconds of Unix time.'),
  requests: z.array(
    z.object({
      method: z.string(),
      path: z.string(),
      headers: z.array(z.array(z.string())).describe('Name and value of each.'),
      credentials: z
        .array(z.string())
        .describe('Headers that it proved itself with; what was in them is not kept.'),
      withheld: z
        .array(z.string())
        .describe('Fields that held a secret without a stand-in: it is not sent again.'),
      body: z.string().nullable(),
      status: z.int(),
      answer: z.json().describe('Only what later requests took from it.'),
    }),
  ),
});

/** What was recorded of requests to the baseline. It is for people only. */
export const trafficOperations = {
  'GET /v1/traffic': {
    summary: 'What was recorded of requests to the baseline, newest first.',
    response: z.object({ recording: z.boolean(), scenarios: z.array(scenario) }),
    roles: ['developer', 'operator', 'auditor'],
  },
  'POST /v1/traffic/recording': {
    summary: 'Records on, or stops until it is told otherwise or the daemon starts again.',
    body: z.strictObject({ on: z.boolean() }),
    response: z.object({ recording: z.boolean() }),
    roles: ['developer', 'operator'],
  },
  'POST /v1/traffic/clear': {
    summary: 'Deletes all that was recorded.',
    response: z.object({ scenarios: z.int().describe('How many there were.') }),
    roles: ['developer', 'operator'],
  },
} as const satisfies Record<string, Operation>;
