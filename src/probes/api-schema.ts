import { z } from 'zod';
import type { Immutable } from '../kernel/index.ts';
import { probeLimits } from './limits.ts';

const expression = z.string().min(1).max(probeLimits.probeExpressionCharsMax);

export const probeKindSchema = z.enum([
  'log',
  'snapshot',
  'counter',
  'metric',
  'duration',
  'branch',
  'exception',
  'types',
]);

export type ProbeKind = z.infer<typeof probeKindSchema>;

export const probePlacementSchema = z.strictObject({
  service: z.string().optional().describe('A service of surety.yaml: all of its instances.'),
  lane: z.string().optional().describe('Its candidate in this lane; the baseline if left out.'),
  pid: z
    .int()
    .min(1)
    .optional()
    .describe('In place of a service: a process, or the parent of one, such as npm.'),
  file: z.string().min(1).max(1_000).describe('A path in the repository, or an end of one.'),
  line: z.int().min(1).optional().describe('From 1; read before this line is executed.'),
  function: z.string().min(1).max(200).optional().describe('In place of a line: its first one.'),
  toLine: z.int().min(1).optional().describe('For a duration: where it ends.'),
  kind: probeKindSchema
    .optional()
    .describe('What to record. Default: a log if there is a template, else a snapshot.'),
  template: z
    .string()
    .min(1)
    .max(probeLimits.probeTemplateCharsMax)
    .optional()
    .describe('The text of a log: amount={amount} type={typeof amount}'),
  expressions: z
    .array(expression)
    .max(probeLimits.probeExpressionsMax)
    .optional()
    .describe('What to read. A snapshot without any reads all local variables.'),
  condition: expression.optional().describe('Only hits for which this is truthy.'),
  sampleRate: z.number().gt(0).max(1).optional().describe('The share of hits that is read.'),
  hitsMax: z.int().min(1).max(probeLimits.probeHitsMax).optional(),
  ttlMs: z.int().min(1).max(probeLimits.probeTtlMsMax).optional(),
  reason: z.string().max(500).optional().describe('Why; recorded in the ledger.'),
  allowStall: z
    .boolean()
    .optional()
    .describe('Attach even if the predicted stall is above the limit.'),
  allowProduction: z
    .boolean()
    .optional()
    .describe('Consent to a probe in production, by a person with the role operator.'),
});

export type ProbePlacement = Immutable<z.infer<typeof probePlacementSchema>>;

const observation = z.union([
  z.object({ type: z.string(), value: z.json() }),
  z.object({ error: z.string() }),
]);

/** What an expression was at a hit. `value` is JSON within bounds; `type` tells what it was. */
export type Observation = Immutable<z.infer<typeof observation>>;

const frame = z.object({ function: z.string(), file: z.string(), line: z.int() });

export const captureSchema = z.object({
  at: z.int(),
  /** From 1. */
  hit: z.int(),
  values: z
    .record(z.string(), observation)
    .describe('By expression: what it was, or why it could not be read.'),
  /** The line itself, then who called it. */
  stack: z.array(frame),
  message: z.string().exactOptional().describe('The text of a log, or of an exception.'),
  requestId: z.string().exactOptional(),
  traceId: z.string().exactOptional().describe('Of the request, if the service reports traces.'),
  /** The process that was captured. */
  pid: z.int(),
});

/** One hit. */
export type Capture = Immutable<z.infer<typeof captureSchema>>;

export const distributionSchema = z.object({
  count: z.int(),
  sum: z.number().exactOptional(),
  min: z.number().exactOptional(),
  max: z.number().exactOptional(),
  p50: z.number().exactOptional(),
  p90: z.number().exactOptional(),
  p99: z.number().exactOptional(),
});

const summary = z.object({
  hits: z.int().describe('Hits that met the condition and were recorded.'),
  evaluated: z.int().describe('Hits at which the probe was armed.'),
  estimatedHits: z.int().describe('All hits, with those while it was not armed.'),
  perSecond: z.int(),
  dropped: z.int().exactOptional().describe('Captures over the limit of a second.'),
  error: z.string().exactOptional().describe('Why something could not be read, the first time.'),
  isHot: z.boolean().exactOptional().describe('The line is armed in short windows only.'),
  distribution: distributionSchema.exactOptional(),
  tally: z.record(z.string(), z.int()).exactOptional().describe('How often each was seen.'),
});

/** What an instrument has counted in one process. A type: it goes into the ledger. */
export type InstrumentSummary = Immutable<z.infer<typeof summary>>;

const place = z.object({
  file: z.string(),
  line: z.int(),
  function: z.string(),
  within: z.array(z.string()).exactOptional().describe('All functions around it.'),
  generated: z.object({ file: z.string(), line: z.int(), column: z.int() }).exactOptional(),
  scriptHash: z.string(),
  text: z.string(),
  drift: z.string().exactOptional(),
});

const cost = z.object({ attachMs: z.number(), perHitMs: z.number() });

const instance = z.object({
  pid: z.int(),
  runtime: z.string(),
  place: place.nullable().describe('Null: its file is not loaded yet.'),
  cost: cost.nullable(),
  summary: summary.nullable(),
});

export type ProbeInstance = Immutable<z.infer<typeof instance>>;

export const probeStatusSchema = z.object({
  probe: z.string(),
  kind: probeKindSchema,
  service: z.string().nullable(),
  lane: z.string().nullable(),
  file: z.string(),
  line: z.int().describe('0: not placed yet.'),
  function: z.string(),
  owner: z.string(),
  reason: z.string(),
  placedAt: z.int(),
  expiresAt: z.int(),
  instances: z.array(instance),
  ended: z
    .object({ reason: z.string(), at: z.int(), certificate: z.json() })
    .nullable()
    .describe('Null: it is still placed.'),
  captures: z.array(captureSchema),
});

/** A probe and what it has captured so far. */
export type ProbeStatus = Immutable<z.infer<typeof probeStatusSchema>>;

export const probeCheckSchema = z.object({
  instances: z.array(z.object({ pid: z.int(), runtime: z.string(), place, cost })),
});

/** Where a probe would be, and what it would cost. */
export type ProbeCheck = Immutable<z.infer<typeof probeCheckSchema>>;
