import { z } from 'zod';
import type { Immutable } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';

/** As surety.yaml has it under `traffic.record`. */
export type RecordingRules = Immutable<NonNullable<Config['traffic']['record']>>;

const recordedRequest = z.object({
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
});

/** A request to the baseline as it is kept: nothing in it lets anybody in anywhere. */
export type RecordedRequest = Omit<Immutable<z.infer<typeof recordedRequest>>, 'headers'> & {
  readonly headers: readonly (readonly [string, string])[];
};

export const recordedScenarioSchema = z.object({
  id: z.string(),
  at: z.int().describe('When its first request came; milliseconds of Unix time.'),
  requests: z.array(recordedRequest),
});

/** What one client asked, in its order. */
export type RecordedScenario = Omit<
  Immutable<z.infer<typeof recordedScenarioSchema>>,
  'requests'
> & { readonly requests: readonly RecordedRequest[] };
