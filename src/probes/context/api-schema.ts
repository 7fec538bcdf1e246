import { z } from 'zod';
import type { Immutable } from '../../kernel/index.ts';
import { distributionSchema, probePlacementSchema } from '../api-schema.ts';
import { probeLimits } from '../limits.ts';

const { service, lane, pid, file, reason, allowProduction } = probePlacementSchema.shape;

export const contextRequestSchema = z.strictObject({
  service,
  lane,
  pid,
  file,
  fromLine: z.int().min(1),
  toLine: z.int().min(1),
  forMs: z
    .int()
    .min(1)
    .max(probeLimits.probeContextMsMax)
    .optional()
    .describe('How long to observe, in milliseconds. Default: 5000.'),
  reason,
  allowProduction,
});

export type ContextRequest = Immutable<z.infer<typeof contextRequestSchema>>;

const counts = z.record(z.string(), z.int());

const observedFunction = z.object({
  function: z.string(),
  line: z.int(),
  calls: z.int().describe('About how often it was called meanwhile.'),
  perSecond: z.int(),
  durationMs: distributionSchema.nullable(),
  arguments: z.record(z.string(), counts).describe('By name: how often each type and shape.'),
  callers: z.array(
    z.object({ function: z.string(), file: z.string(), line: z.int(), count: z.int() }),
  ),
});

const observedBranch = z.object({ line: z.int(), text: z.string(), ways: counts });

const observedValue = z.object({
  line: z.int(),
  expression: z.string(),
  isAnswer: z.boolean().describe('The code awaits it: the answer of something that it called.'),
  types: counts.describe('How often each type and shape.'),
});

export const runtimeContextSchema = z.object({
  file: z.string(),
  fromLine: z.int(),
  toLine: z.int(),
  pid: z.int().describe('The one process that was observed.'),
  runtime: z.string(),
  observedMs: z.int(),
  functions: z.array(observedFunction),
  branches: z.array(observedBranch),
  values: z.array(observedValue),
  missing: z
    .array(z.object({ line: z.int(), what: z.string(), reason: z.string() }))
    .describe('What could not be observed, and why.'),
});

/** What was observed at lines of code while they ran. */
export type RuntimeContext = Immutable<z.infer<typeof runtimeContextSchema>>;
