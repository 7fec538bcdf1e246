import { z } from 'zod';
import { durationPattern } from '../../kernel/index.ts';

const text = z.string().min(1);
const duration = z.string().regex(durationPattern, 'use a duration such as 30s, 10m, 1h or 90d');
const amount = z.int('use a whole number').min(0, 'use 0 or more');
const json = z.record(z.string(), z.json());

const step = z.strictObject({
  tool: text,
  outcome: z.enum(['granted', 'denied', 'held', 'committed', 'failed', 'unknown', 'compensated']),
  code: text.optional(),
  arguments: json.optional(),
});

const task = z.strictObject({
  id: text.default('task_case'),
  agent: text.optional(),
  phase: text.optional(),
  tools: z.array(text).optional(),
  resources: z.array(text).optional(),
  budgets: z
    .array(z.strictObject({ dimension: text, limit: amount, spent: amount.default(0) }))
    .default([]),
});

const policyCase = z.strictObject({
  name: text,
  actor: z.string().regex(/^(?:agent|person):[A-Za-z0-9][\w.@+-]{0,99}$/, 'use agent:<name>'),
  tool: text,
  arguments: json.default({}),
  task: task.optional(),
  reads: json.default({}),
  trajectory: z.array(step).default([]),
  seen: z.record(z.string(), amount).default({}),
  evidence: z
    .array(z.strictObject({ kind: text, subject: z.string(), age: duration.optional() }))
    .default([]),
  spent: z
    .array(
      z.strictObject({
        account: z
          .string()
          .regex(
            /^(?:workspace|agent:\S+|tool:\S+)$/,
            'use workspace, agent:<name> or tool:<tool>',
          ),
        dimension: text,
        per: duration.optional(),
        amount,
      }),
    )
    .default([]),
  reported: z.record(z.string(), amount).default({}),
  approved: z.boolean().default(false),
  stopped: z.array(text).default([]),
  now: z.iso
    .datetime({ offset: true, error: 'use a time such as 2026-03-01T09:00:00Z' })
    .optional(),
  expect: z.enum(['allow', 'deny', 'hold'], 'use allow, deny or hold'),
  rules: z.array(text).optional(),
});

/** The schema of policy cases. docs/guard.md explains each key. */
export const casesSchema = z.strictObject({
  agents: json
    .default({})
    .describe('Agents that are there for the cases alone, as in a policy: a pack has none.'),
  cases: z.array(policyCase).min(1, 'write at least one case'),
});

export type PolicyCase = z.output<typeof policyCase>;
