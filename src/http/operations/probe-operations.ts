import { z } from 'zod';
import { limits } from '../../kernel/index.ts';
import { type Operation, readers } from './operation.ts';

const expression = z.string().min(1).max(limits.probeExpressionCharsMax);

const capture = z.object({
  at: z.int(),
  hit: z.int(),
  values: z
    .record(
      z.string(),
      z.union([z.object({ type: z.string(), value: z.json() }), z.object({ error: z.string() })]),
    )
    .describe('By expression: what it was, or why it could not be read.'),
  stack: z.array(z.object({ function: z.string(), file: z.string(), line: z.int() })),
  requestId: z.string().optional(),
});

const probe = z.object({
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

const probePath = z.strictObject({ probe: z.string() });

/** Read-only looks into services that run. */
export const probeOperations = {
  'POST /v1/probes': {
    summary:
      'Places a read-only probe in a running service, until it is removed or its time is up.',
    body: z.strictObject({
      service: z.string(),
      lane: z.string().optional().describe('Its candidate in this lane; the baseline if left out.'),
      file: z.string().min(1).max(1_000).describe('A path in the repository.'),
      line: z.int().min(1).describe('From 1; read before this line is executed.'),
      expressions: z.array(expression).min(1).max(limits.probeExpressionsMax),
      condition: expression.optional().describe('Only hits for which this is truthy.'),
      hitsMax: z.int().min(1).max(limits.probeHitsMax).optional(),
      ttlMs: z.int().min(1).max(limits.probeTtlMsMax).optional(),
    }),
    response: probe,
    roles: ['agent', 'developer', 'operator'],
  },
  'GET /v1/probes/{probe}': {
    summary: 'What a probe has seen so far.',
    path: probePath,
    response: probe,
    roles: [...readers, 'agent'],
  },
  'POST /v1/probes/{probe}/remove': {
    summary: 'Takes a probe out; what it saw stays.',
    path: probePath,
    response: probe,
    roles: ['agent', 'developer', 'operator'],
  },
} as const satisfies Record<string, Operation>;
