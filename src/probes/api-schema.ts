import { z } from 'zod';
import type { Immutable } from '../kernel/index.ts';
import { probeLimits } from './limits.ts';

const expression = z.string().min(1).max(probeLimits.probeExpressionCharsMax);

export const probePlacementSchema = z.strictObject({
  service: z.string(),
  lane: z.string().optional().describe('Its candidate in this lane; the baseline if left out.'),
  file: z.string().min(1).max(1_000).describe('A path in the repository.'),
  line: z.int().min(1).describe('From 1; read before this line is executed.'),
  expressions: z.array(expression).min(1).max(probeLimits.probeExpressionsMax),
  condition: expression.optional().describe('Only hits for which this is truthy.'),
  hitsMax: z.int().min(1).max(probeLimits.probeHitsMax).optional(),
  ttlMs: z.int().min(1).max(probeLimits.probeTtlMsMax).optional(),
});

export type ProbePlacement = Immutable<z.infer<typeof probePlacementSchema>>;

const observation = z.union([
  z.object({ type: z.string(), value: z.json() }),
  z.object({ error: z.string() }),
]);

/** What an expression was at a hit. `value` is JSON within bounds; `type` tells what it was. */
export type Observation = Immutable<z.infer<typeof observation>>;

const frame = z.object({ function: z.string(), file: z.string(), line: z.int() });

export type Frame = Immutable<z.infer<typeof frame>>;

const capture = z.object({
  at: z.int(),
  /** From 1. */
  hit: z.int(),
  values: z
    .record(z.string(), observation)
    .describe('By expression: what it was, or why it could not be read.'),
  /** The line itself, then who called it. */
  stack: z.array(frame),
  requestId: z.string().exactOptional(),
});

/** One hit. */
export type Capture = Immutable<z.infer<typeof capture>>;

export const probeStatusSchema = z.object({
  probe: z.string(),
  service: z.string(),
  lane: z.string().nullable(),
  file: z.string(),
  line: z.int(),
  placedAt: z.int(),
  ended: z
    .object({ reason: z.string(), at: z.int(), certificate: z.json() })
    .nullable()
    .describe('Null: it is still placed.'),
  captures: z.array(capture),
});

/** A probe and what it has captured so far. */
export type ProbeStatus = Immutable<z.infer<typeof probeStatusSchema>>;
