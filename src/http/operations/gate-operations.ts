import { z } from 'zod';
import { gateLimits } from '../../gate/limits.ts';
import { type Operation, readers } from './operation.ts';

const faultReport = z.object({
  code: z.string(),
  message: z.string(),
  remedy: z.string(),
  retryable: z.boolean(),
  details: z.json().optional(),
});

const mode = z
  .enum(['enforce', 'observe'])
  .describe('`observe`: it was judged, and would not have been refused whatever came out.');

/** How a proposal ended. One that was denied or held is answered as a fault. */
const outcome = z.object({
  status: z.enum(['committed', 'failed', 'unknown']),
  mode: mode.optional(),
  proposal: z.string(),
  value: z.json().optional().describe('What the tool answered.'),
  fault: faultReport.optional(),
});

const grant = z.object({
  status: z.literal('granted'),
  mode,
  proposal: z.string(),
  token: z.string().describe('The signed grant: good for one call, check it offline.'),
  argumentsHash: z.string(),
  expiresAt: z.int(),
  key: z.string().nullable().describe('The idempotency key to hand on.'),
});

/** Bounded before anything is decided: a grant that is too large would be made and not told. */
const grantText = z.string().min(1).max(gateLimits.grantTextCharsMax);

const proposed = z.strictObject({
  tool: z.string().min(1).max(128),
  arguments: z.record(z.string(), z.json()),
  task: grantText.optional().describe('The task that it belongs to.'),
  subject: z.string().optional().describe('Whom it is about: forgotten with that subject.'),
  reported: z
    .record(z.string(), z.number())
    .optional()
    .describe('What the caller says it used, by dimension. It may only add to the cost.'),
  waitMs: z
    .int()
    .min(0)
    .max(600_000)
    .optional()
    .describe('How long to wait for the same call in flight, or for an approval.'),
});

const approval = z.object({
  approval: z.string(),
  status: z.enum(['waiting', 'approved', 'refused', 'expired']),
  proposal: z.string(),
  actor: z.string(),
  tool: z.string(),
  arguments: z.json().nullable().describe('Exactly what would be executed; null once forgotten.'),
  argumentsHash: z.string(),
  role: z.string().describe('Who may answer.'),
  expiresAt: z.int(),
  by: z.string().nullable(),
  reason: z.string().nullable(),
});

const answer = z.strictObject({
  argumentsHash: z.string().describe('As shown: the answer is for these arguments only.'),
  reason: z.string().default(''),
});

const said = z.object({
  rule: z.string(),
  verdict: z.enum(['deny', 'hold', 'warn']),
  reason: z.string(),
  remedy: z.string(),
  values: z.json().optional(),
  needs: z.json().optional(),
  retryAt: z.number().optional(),
});

const explanation = z.object({
  proposal: z.string(),
  actor: z.string(),
  tool: z.string(),
  decision: z.enum(['allow', 'deny', 'hold']),
  status: z.string().describe('Where it stands: denied, held, granted, committed, …'),
  arguments: z.json().nullable(),
  argumentsHash: z.string(),
  policy: z.string().nullable().describe('The version of the policy that decided.'),
  said: z.array(said).describe('Every rule that spoke.'),
  wouldBe: z.string().nullable().describe('What would have been decided if it were enforced.'),
  charges: z.json(),
  history: z.array(z.object({ seq: z.int(), at: z.int(), kind: z.string(), actor: z.string() })),
});

const proposalLine = z.object({
  proposal: z.string(),
  actor: z.string(),
  tool: z.string(),
  status: z.string(),
  recovery: z.int().nullable(),
  found: z.string().nullable(),
});

const stop = z.object({
  scope: z.string(),
  by: z.string(),
  at: z.int(),
  reason: z.string(),
});

const stopping = z.strictObject({ scope: z.string(), reason: z.string().min(1) });

const budget = z.object({
  account: z.string(),
  budget: z.string(),
  limit: z.int(),
  spent: z.int(),
  reserved: z.int(),
  free: z.int(),
});

const contractSummary = z.object({
  tool: z.string(),
  description: z.string().nullable(),
  effect: z.enum(['read', 'idempotent', 'mutating']),
  mode: z.enum(['enforce', 'observe']),
  schema: z.json(),
  rules: z.array(z.object({ rule: z.string(), that: z.string(), kind: z.string() })),
  evidence: z.array(z.string()),
  approval: z.string().nullable(),
});

const actors = ['agent', 'developer', 'operator'] as const;
const proposalPath = z.strictObject({ proposal: z.string() });
const approvalPath = z.strictObject({ approval: z.string() });

/** Proposals, approvals, stops and budgets. */
export const gateOperations = {
  'POST /v1/proposals': {
    summary: 'Proposes a call that the runtime executes if it is granted.',
    body: proposed,
    response: outcome,
    roles: actors,
    recorded: true,
  },
  'POST /v1/grants': {
    summary: 'Proposes a call that the caller executes itself, with a signed grant.',
    body: proposed.extend({ audience: grantText.describe('Who will execute it.') }),
    response: z.union([grant, outcome]),
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
    body: z.strictObject({
      token: z.string(),
      report: z.discriminatedUnion('status', [
        z.strictObject({ status: z.literal('committed'), value: z.json() }),
        z.strictObject({ status: z.literal('failed'), code: z.string(), message: z.string() }),
        z.strictObject({ status: z.literal('unknown') }),
      ]),
    }),
    response: outcome,
    open: true,
  },
  'GET /v1/proposals': {
    summary: 'Proposals whose outcome is in doubt or has to be put right.',
    response: z.object({ proposals: z.array(proposalLine) }),
    roles: [...readers, 'agent'],
  },
  'GET /v1/proposals/{proposal}': {
    summary: 'Why a proposal was decided as it was, and what became of it.',
    path: proposalPath,
    response: explanation,
    roles: [...readers, 'agent'],
  },
  'GET /v1/proposals/{proposal}/outcome': {
    summary: 'How a proposal ended, with what its tool answered.',
    path: proposalPath,
    response: z.object({
      proposal: z.string(),
      status: z.string(),
      value: z.json().nullable().describe('Null where there is none.'),
      fault: faultReport.nullable(),
    }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/proposals/{proposal}/resolve': {
    summary: 'A person who has looked says whether it took effect.',
    path: proposalPath,
    body: z.strictObject({ as: z.enum(['committed', 'failed']), reason: z.string().min(1) }),
    response: explanation,
    roles: ['operator'],
  },
  'GET /v1/approvals': {
    summary: 'What waits for a person.',
    response: z.object({ approvals: z.array(approval) }),
    roles: readers,
  },
  'GET /v1/approvals/{approval}': {
    summary: 'One request for an approval, with its exact arguments.',
    path: approvalPath,
    response: approval,
    roles: [...readers, 'agent'],
  },
  'POST /v1/approvals/{approval}/approve': {
    summary: 'Lets exactly these arguments through, once.',
    path: approvalPath,
    body: answer,
    response: approval,
    roles: [...readers, 'agent'],
  },
  'POST /v1/approvals/{approval}/refuse': {
    summary: 'Refuses them.',
    path: approvalPath,
    body: answer,
    response: approval,
    roles: [...readers, 'agent'],
  },
  'GET /v1/stops': {
    summary: 'What is stopped.',
    response: z.object({ stops: z.array(stop) }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/stops': {
    summary: 'Stops everything, an agent or a tool, from the next decision on.',
    body: stopping,
    response: z.object({ stops: z.array(stop) }),
    roles: ['operator'],
  },
  'POST /v1/stops/lift': {
    summary: 'Lifts a stop.',
    body: stopping,
    response: z.object({ stops: z.array(stop) }),
    roles: ['operator'],
  },
  'GET /v1/budgets': {
    summary: 'What the workspace and each agent have left.',
    response: z.object({ budgets: z.array(budget) }),
    roles: [...readers, 'agent'],
  },
  'GET /v1/contracts': {
    summary: 'The contracts of the tools that the caller may use.',
    response: z.object({
      policy: z.string().nullable(),
      mode: z.enum(['enforce', 'observe']),
      contracts: z.array(contractSummary),
    }),
    roles: [...readers, 'agent'],
  },
} as const satisfies Record<string, Operation>;
