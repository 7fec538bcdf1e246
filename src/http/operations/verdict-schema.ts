import { z } from 'zod';
import { reachSchema } from '../../lanes/api-schema.ts';
import { calibrationBriefSchema, profileSchema } from './calibration-schema.ts';

const changedLines = z.object({
  file: z.string(),
  line: z.int().describe('Of the first of them in the changed file.'),
  text: z.array(z.string()).describe('Each with its + or -.'),
});

/** What every finding is told with. */
const evidence = {
  id: z.string().describe('fnd_…: the same thing has the same id, whichever change does it.'),
  requestId: z.string().nullable().describe('One request that shows it.'),
  traceId: z.string().nullable(),
  trace: z.string().nullable().describe('The command that shows its trace.'),
  logs: z.array(z.string()).describe('What the services said about that request.'),
  lines: z
    .array(changedLines)
    .describe('The changed lines that most likely matter, the likeliest first.'),
  reproduction: z.string().describe('The command that shows it again.'),
};

const checkFinding = z.object({
  kind: z.literal('check'),
  service: z.string().nullable().describe('The first changed service that the request met.'),
  suite: z.string(),
  check: z.string(),
  expected: z.json(),
  actual: z.json(),
  path: z.array(z.string()).describe('The hops that the request took.'),
  ...evidence,
});

const wireFinding = z.object({
  kind: z.literal('wire'),
  service: z.string().describe('Whose doing it is.'),
  what: z.string(),
  hop: z.string(),
  part: z.enum(['request', 'response']),
  field: z.string(),
  before: z.string(),
  after: z.string(),
  sampleBefore: z.json(),
  sampleAfter: z.json(),
  confidence: z.number().describe('From 0 to 1.'),
  ...evidence,
});

const differenceFinding = z.object({
  kind: z.literal('difference'),
  class: z.enum([
    'start',
    'security',
    'contract',
    'calls',
    'writes',
    'error',
    'status',
    'signal',
    'load',
  ]),
  what: z.string(),
  service: z.string().describe('Whose doing it is.'),
  hop: z.string().nullable(),
  place: z.string().nullable(),
  before: z.string(),
  after: z.string(),
  examples: z.object({ before: z.json(), after: z.json() }),
  confidence: z.number().describe('From 0 to 1.'),
  ...evidence,
});

const signal = z.object({
  service: z.string(),
  signal: z.string().describe('What was measured, with its unit.'),
  verdict: z.enum(['worse', 'not-worse', 'inconclusive']),
  before: z.number(),
  after: z.number(),
  ratio: z.number().nullable().describe('Candidate to control; null for what is counted.'),
  interval: z.object({ low: z.number().nullable(), high: z.number().nullable() }),
  pairs: z.int(),
  starts: z.int(),
  pairsNeeded: z.int().nullable().describe('About how many pairs would decide it.'),
});

export const disputeSchema = z.object({
  finding: z.string(),
  owner: z.string(),
  reason: z.string(),
  until: z.int().describe('From then on it fails again.'),
});

/** A verdict as everybody is told it; docs/verdict.schema.json is made from this. */
export const verdictSchema = z.object({
  id: z.string(),
  change: z.string().describe('Names exactly this patch on exactly this base.'),
  base: z.string(),
  services: z.array(z.string()).describe('Those that the change touches.'),
  verdict: z.enum(['pass', 'fail', 'inconclusive']),
  reason: z.string().describe('Why, in one sentence.'),
  findings: z
    .array(z.discriminatedUnion('kind', [checkFinding, wireFinding, differenceFinding]))
    .describe('The most causal first.'),
  findingsOmitted: z.int().describe('How many more there are than fit.'),
  disputed: z
    .array(disputeSchema)
    .optional()
    .describe('What would be findings if nobody had said that they are none.'),
  notices: z.array(z.string()).describe('What fails nothing, but is worth knowing.'),
  reach: reachSchema,
  calls: z
    .array(z.object({ from: z.string(), to: z.string(), count: z.int(), failed: z.int() }))
    .describe('Who called whom for the requests of the change.'),
  checks: z.object({ passed: z.int(), failed: z.int() }),
  profile: profileSchema,
  signals: z.array(signal).describe('What was measured on both versions.'),
  calibration: calibrationBriefSchema
    .nullable()
    .describe('How often such verdicts failed where nothing was changed; null: nobody has looked.'),
});

/** As a JSON Schema, for whoever reads verdicts without us. */
export function verdictJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(verdictSchema, { io: 'output' });
  const title = 'Verdict of Surety';
  const description = 'Members may be added; none changes its meaning or goes away.';
  return { $schema, title, description, ...schema };
}
