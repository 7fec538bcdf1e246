import { z } from 'zod';
import {
  approvalAnswerSchema,
  approvalSchema,
  budgetSchema,
  contractListSchema,
  endedProposalSchema,
  explanationSchema,
  grantRequestSchema,
  grantSchema,
  outcomeSchema,
  proposalSchema,
  resolutionSchema,
  settlementSchema,
  stopRequestSchema,
  stopSchema,
  unresolvedSchema,
} from '../../gate/api-schema.ts';
import { type Operation, readers } from './operation.ts';

const actors = ['agent', 'developer', 'operator'] as const;
const proposalPath = z.strictObject({ proposal: z.string() });
const approvalPath = z.strictObject({ approval: z.string() });

/** Proposals, approvals, stops and budgets. */
export const gateOperations = {
  'POST /v1/proposals': {
    summary: 'Proposes a call that the runtime executes if it is granted.',
    body: proposalSchema,
    response: outcomeSchema,
    roles: actors,
    recorded: true,
  },
  'POST /v1/grants': {
    summary: 'Proposes a call that the caller executes itself, with a signed grant.',
    body: grantRequestSchema,
    response: z.union([grantSchema, outcomeSchema]),
    roles: actors,
    recorded: true,
  },
  'POST /v1/grants/redeem': {
    summary: 'Says that the call is about to begin; refused if it was stopped meanwhile.',
    body: z.strictObject({ token: z.string() }),
    response: z.object({ proposal: z.string() }),
    open: true,
  },
  'POST /v1/grants/settle': {
    summary: 'Says how the call of a grant ended.',
    body: settlementSchema,
    response: outcomeSchema,
    open: true,
  },
  'GET /v1/proposals': {
    summary: 'Proposals whose outcome is in doubt or has to be put right.',
    response: z.object({ proposals: z.array(unresolvedSchema) }),
    roles: [...readers, 'agent'],
  },
  'GET /v1/proposals/{proposal}': {
    summary: 'Why a proposal was decided as it was, and what became of it.',
    path: proposalPath,
    response: explanationSchema,
    roles: [...readers, 'agent'],
  },
  'GET /v1/proposals/{proposal}/outcome': {
    summary: 'How a proposal ended, with what its tool answered.',
    path: proposalPath,
    response: endedProposalSchema,
    roles: [...readers, 'agent'],
  },
  'POST /v1/proposals/{proposal}/resolve': {
    summary: 'A person who has looked says whether it took effect.',
    path: proposalPath,
    body: resolutionSchema,
    response: explanationSchema,
    roles: ['operator'],
  },
  'GET /v1/approvals': {
    summary: 'What waits for a person.',
    response: z.object({ approvals: z.array(approvalSchema) }),
    roles: readers,
  },
  'GET /v1/approvals/{approval}': {
    summary: 'One request for an approval, with its exact arguments.',
    path: approvalPath,
    response: approvalSchema,
    roles: [...readers, 'agent'],
  },
  'POST /v1/approvals/{approval}/approve': {
    summary: 'Lets exactly these arguments through, once.',
    path: approvalPath,
    body: approvalAnswerSchema,
    response: approvalSchema,
    roles: [...readers, 'agent'],
  },
  'POST /v1/approvals/{approval}/refuse': {
    summary: 'Refuses them.',
    path: approvalPath,
    body: approvalAnswerSchema,
    response: approvalSchema,
    roles: [...readers, 'agent'],
  },
  'GET /v1/stops': {
    summary: 'What is stopped.',
    response: z.object({ stops: z.array(stopSchema) }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/stops': {
    summary: 'Stops everything, an agent or a tool, from the next decision on.',
    body: stopRequestSchema,
    response: z.object({ stops: z.array(stopSchema) }),
    roles: ['operator'],
  },
  'POST /v1/stops/lift': {
    summary: 'Lifts a stop.',
    body: stopRequestSchema,
    response: z.object({ stops: z.array(stopSchema) }),
    roles: ['operator'],
  },
  'GET /v1/budgets': {
    summary: 'What the workspace and each agent have left.',
    response: z.object({ budgets: z.array(budgetSchema) }),
    roles: [...readers, 'agent'],
  },
  'GET /v1/contracts': {
    summary: 'The contracts of the tools that the caller may use.',
    response: contractListSchema,
    roles: [...readers, 'agent'],
  },
} as const satisfies Record<string, Operation>;
