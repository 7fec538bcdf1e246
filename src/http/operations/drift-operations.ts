import { z } from 'zod';
import {
  agentProfileSchema,
  complianceSchema,
  driftAcceptanceSchema,
  driftSchema,
  taskComplianceSchema,
} from '../../drift/api-schema.ts';
import { type Operation, readers } from './operation.ts';

const ofAgent = z.strictObject({
  agent: z.string().optional().describe('Only this agent, as in agent:coder.'),
});

/** How agents keep to their contracts, and whether their behaviour drifts. */
export const driftOperations = {
  'GET /v1/drift': {
    summary: 'The drift of each agent, with what it follows from; an agent sees its own.',
    query: ofAgent,
    response: z.object({ agents: z.array(driftSchema) }),
    roles: ['agent', ...readers],
  },
  'POST /v1/drift/accept': {
    summary: 'Takes the recent behaviour of an agent as its reference from now on.',
    body: driftAcceptanceSchema,
    response: driftSchema,
    roles: ['operator'],
  },
  'GET /v1/compliance': {
    summary: 'How each agent keeps to its contracts; an agent sees its own.',
    query: ofAgent,
    response: z.object({ agents: z.array(complianceSchema) }),
    roles: ['agent', ...readers],
  },
  'GET /v1/compliance/tasks/{task}': {
    summary: 'How the steps of one task kept to their contracts.',
    path: z.strictObject({ task: z.string() }),
    response: taskComplianceSchema,
    roles: readers,
  },
  'POST /v1/agents/profile': {
    summary: 'An agent says which version, framework and model it runs as.',
    body: agentProfileSchema,
    response: z.object({ profile: z.string() }),
    roles: ['agent'],
  },
} as const satisfies Record<string, Operation>;
