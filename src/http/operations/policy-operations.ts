import { z } from 'zod';
import {
  contractSchema,
  judgedPlanSchema,
  planSchema,
  policySchema,
} from '../../gate/api-schema.ts';
import { type Operation, readers } from './operation.ts';

/** The policy in force, and what it would say. */
export const policyOperations = {
  'GET /v1/policy': {
    summary: 'The policy in force, and what is wrong with the one on disk if it is another.',
    response: policySchema,
    roles: [...readers, 'agent'],
  },
  'POST /v1/policy/adopt': {
    summary: 'Adopts the policy on disk, also if a newer one has replaced it.',
    response: policySchema,
    roles: ['operator'],
    recorded: true,
  },
  'GET /v1/contracts/{tool}': {
    summary: 'The whole contract of a tool.',
    path: z.strictObject({ tool: z.string() }),
    response: contractSchema,
    roles: [...readers, 'agent'],
  },
  'POST /v1/plans/check': {
    summary: 'Judges a sequence of proposals in order, before any of them is made.',
    body: planSchema,
    response: judgedPlanSchema,
    roles: [...readers, 'agent'],
  },
} as const satisfies Record<string, Operation>;
