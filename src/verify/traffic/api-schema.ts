import { z } from 'zod';
import type { Immutable } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';

/** As surety.yaml has it under `traffic.record`. */
export type RecordingRules = Immutable<NonNullable<Config['traffic']['record']>>;

const recordedRequest = z.object({
  method: z.string(),
  path: z.string(),
  headers: z.array(z.array(z.string())).describe('Name and value of each header.'),
  credentials: z
    .array(z.string())
    .describe('Headers with credentials; their values are not stored.'),
  withheld: z
    .array(z.string())
    .describe('Fields that held a secret without a stand-in, so it is not sent again.'),
  body: z.string().nullable(),
  status: z.int(),
  answer: z.json().describe('Only the values that later requests contain.'),
});

/** A stored request to the baseline, without credentials and secrets. */
export type StoredRequest = Omit<Immutable<z.infer<typeof recordedRequest>>, 'headers'> & {
  readonly headers: readonly (readonly [string, string])[];
};

export const recordedScenarioSchema = z.object({
  id: z.string(),
  at: z.int().describe('When its first request came; milliseconds of Unix time.'),
  requests: z.array(recordedRequest),
});

/** The requests of one client, in order. */
export type RecordedScenario = Omit<
  Immutable<z.infer<typeof recordedScenarioSchema>>,
  'requests'
> & { readonly requests: readonly StoredRequest[] };
