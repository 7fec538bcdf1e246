import { z } from 'zod';
import { apiLimits } from '../limits.ts';
import { type Operation, readers } from './operation.ts';

const mode = z.enum(['enforce', 'observe']);

const policy = z.object({
  hash: z.string().nullable().describe('Its version; null: none is in force, agents are denied.'),
  mode,
  file: z.string().nullable().describe('Where it is read from.'),
  environment: z.string().nullable(),
  adoptedAt: z.int().nullable(),
  adoptedSeq: z.int().nullable().describe('The entry that adopted it, which holds it whole.'),
  tools: z.array(z.object({ tool: z.string(), mode })),
  agents: z.array(z.string()),
  problem: z
    .object({ at: z.int(), reason: z.string() })
    .nullable()
    .describe('Why what is on disk is not in force; null when it is.'),
});

const judged = z.object({
  tool: z.string(),
  verdict: z.enum(['allow', 'deny', 'hold']),
  mode,
  wouldBe: z.enum(['deny', 'hold']).nullable(),
  said: z.array(
    z.object({
      rule: z.string(),
      verdict: z.enum(['deny', 'hold', 'warn']),
      reason: z.string(),
      remedy: z.string(),
      values: z.json().optional(),
      needs: z.json().optional(),
      retryAt: z.number().optional(),
    }),
  ),
  assumes: z.array(z.string()).describe('What later steps were judged on.'),
  repeats: z.string().nullable().describe('The proposal whose outcome would be answered.'),
});

const contract = z.object({
  tool: z.string(),
  mode,
  document: z.record(z.string(), z.json()).describe('As the policy says it, after includes.'),
  agents: z.array(z.string()).describe('Agents that may propose it.'),
});

/** The policy in force, and what it would say. */
export const policyOperations = {
  'GET /v1/policy': {
    summary: 'The policy in force, and what is wrong with the one on disk if it is another.',
    response: policy,
    roles: [...readers, 'agent'],
  },
  'GET /v1/contracts/{tool}': {
    summary: 'The whole contract of a tool.',
    path: z.strictObject({ tool: z.string() }),
    response: contract,
    roles: [...readers, 'agent'],
  },
  'POST /v1/plans/check': {
    summary: 'Judges a sequence of proposals in order, before any of them is made.',
    body: z.strictObject({
      steps: z
        .array(
          z.strictObject({
            tool: z.string().min(1).max(128),
            arguments: z.record(z.string(), z.json()).default({}),
            task: z.string().optional(),
          }),
        )
        .min(1)
        .max(apiLimits.planStepsMax),
      agent: z.string().optional().describe('For whom; an agent asks for itself only.'),
    }),
    response: z.object({ ok: z.boolean(), steps: z.array(judged) }),
    roles: [...readers, 'agent'],
  },
} as const satisfies Record<string, Operation>;
