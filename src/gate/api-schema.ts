import { z } from 'zod';
import type { FaultReport, Immutable, JsonObject } from '../kernel/index.ts';
import { gateLimits } from './limits.ts';

const modeSchema = z.enum(['enforce', 'observe']);

/** Whether a decision is enforced, or only recorded. */
export type Mode = z.infer<typeof modeSchema>;

const outcomeMode = modeSchema.describe(
  '`observe`: it was judged, and would not have been refused whatever came out.',
);

export const faultReportSchema = z.object({
  code: z.string(),
  message: z.string(),
  remedy: z.string(),
  retryable: z.boolean(),
  details: z.json().optional(),
}) satisfies z.ZodType<Pick<FaultReport, 'code' | 'message' | 'remedy' | 'retryable'>>;

/** How a proposal ended. One that was denied or held is answered as a fault. */
export const outcomeSchema = z.object({
  status: z.enum(['committed', 'failed', 'unknown']),
  mode: outcomeMode.optional(),
  proposal: z.string(),
  value: z.json().optional().describe('What the tool answered.'),
  fault: faultReportSchema.optional(),
  notices: z
    .array(z.string())
    .optional()
    .describe('Warnings of soft rules, and constraints for an agent whose behaviour drifts.'),
});

export const grantSchema = z.object({
  status: z.literal('granted'),
  mode: outcomeMode,
  proposal: z.string(),
  token: z.string().describe('The signed grant: good for one call, check it offline.'),
  argumentsHash: z.string(),
  expiresAt: z.int(),
  key: z.string().nullable().describe('The idempotency key to hand on.'),
});

/** A permission that leaves this process. */
export type SignedGrant = Omit<Immutable<z.infer<typeof grantSchema>>, 'mode'>;

/** Bounded before anything is decided: a grant that is too large would be made and not told. */
const grantText = z.string().min(1).max(gateLimits.grantTextCharsMax);

export const proposalSchema = z.strictObject({
  tool: z.string().min(1).max(128),
  arguments: z.record(z.string(), z.json()),
  task: grantText.optional().describe('The task that it belongs to.'),
  subject: z.string().optional().describe('Whom it is about: forgotten with that subject.'),
  fences: z
    .record(z.string(), z.int())
    .optional()
    .describe('The fences of locks that the caller holds, by the name of the lock.'),
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

export const grantRequestSchema = proposalSchema.extend({
  audience: grantText.describe('Who will execute it.'),
  begins: z
    .boolean()
    .optional()
    .describe('Whether the caller begins at once: then the grant is redeemed as it is made.'),
});

export const settlementSchema = z.strictObject({
  token: z.string(),
  report: z.discriminatedUnion('status', [
    z.strictObject({ status: z.literal('committed'), value: z.json() }),
    z.strictObject({ status: z.literal('failed'), code: z.string(), message: z.string() }),
    z.strictObject({ status: z.literal('unknown') }),
  ]),
});

/** What an executor says of a call that it made itself. */
export type ExecutorReport = Immutable<z.infer<typeof settlementSchema>>['report'];

export const approvalSchema = z.object({
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

export type Approval = Immutable<z.infer<typeof approvalSchema>>;

/** One exact action that a person was asked about. */
export type ApprovalRow = Omit<Approval, 'status' | 'arguments'> & {
  readonly status: Exclude<Approval['status'], 'expired'>;
  readonly withinMs: number;
  /** The entry that holds the exact arguments. */
  readonly heldSeq: number;
};

export const approvalAnswerSchema = z.strictObject({
  argumentsHash: z.string().describe('As shown: the answer is for these arguments only.'),
  reason: z.string().default(''),
});

export type ApprovalAnswerRequest = Immutable<z.infer<typeof approvalAnswerSchema>>;

const said = z.object({
  rule: z.string(),
  verdict: z.enum(['deny', 'hold', 'warn']),
  reason: z.string(),
  remedy: z.string(),
  values: z.json().exactOptional(),
  needs: z.json().exactOptional(),
  retryAt: z.number().exactOptional(),
});

/** One rule that had something to say, and what would change its mind. */
export type RuleFinding = Omit<Immutable<z.infer<typeof said>>, 'values' | 'needs'> & {
  /** The values that mattered. */
  readonly values?: JsonObject;
  /** Evidence that is missing, and the tools that make it. */
  readonly needs?: readonly { readonly evidence: string; readonly tools: readonly string[] }[];
};

const decision = z.enum(['allow', 'deny', 'hold']);

export const explanationSchema = z.object({
  proposal: z.string(),
  actor: z.string(),
  tool: z.string(),
  decision,
  status: z.string().describe('Where it stands: denied, held, granted, committed, …'),
  arguments: z.json().nullable(),
  argumentsHash: z.string(),
  policy: z.string().nullable().describe('The version of the policy that decided.'),
  said: z.array(said).describe('Every rule that spoke.'),
  wouldBe: z.string().nullable().describe('What would have been decided if it were enforced.'),
  charges: z.json(),
  history: z.array(z.object({ seq: z.int(), at: z.int(), kind: z.string(), actor: z.string() })),
  refusedReport: z
    .object({ seq: z.int(), at: z.int(), reported: z.string() })
    .nullable()
    .describe(
      'The last report of its executor that was refused because it contradicts the outcome.',
    ),
});

export const unresolvedSchema = z.object({
  proposal: z.string(),
  actor: z.string(),
  tool: z.string(),
  status: z.string(),
  recovery: z.int().nullable(),
  found: z.string().nullable(),
});

export const endedProposalSchema = z.object({
  proposal: z.string(),
  status: z.string(),
  value: z.json().nullable().describe('Null where there is none.'),
  fault: faultReportSchema.nullable(),
});

export const resolutionSchema = z.strictObject({
  as: z.enum(['committed', 'failed']),
  reason: z.string().min(1),
});

/** A person's word whether a proposal took effect. */
export type Resolution = Immutable<z.infer<typeof resolutionSchema>>;

export const stopSchema = z.object({
  scope: z.string(),
  by: z.string(),
  at: z.int(),
  reason: z.string(),
});

/** By scope, what was stopped. */
export type StopsRow = Readonly<
  Record<string, Omit<Immutable<z.infer<typeof stopSchema>>, 'scope'>>
>;

export const stopRequestSchema = z.strictObject({ scope: z.string(), reason: z.string().min(1) });

/** An order by a person to stop something, or to lift that. */
export type StopOrder = Immutable<z.infer<typeof stopRequestSchema>>;

export const budgetSchema = z.object({
  account: z.string(),
  budget: z.string(),
  limit: z.int(),
  spent: z.int(),
  reserved: z.int(),
  free: z.int(),
});

export const contractSummarySchema = z.object({
  tool: z.string(),
  description: z.string().nullable(),
  effect: z.enum(['read', 'idempotent', 'mutating']),
  mode: modeSchema,
  schema: z.json(),
  rules: z.array(z.object({ rule: z.string(), that: z.string(), kind: z.string() })),
  evidence: z.array(z.string()),
  approval: z.string().nullable(),
});

export const contractListSchema = z.object({
  policy: z.string().nullable(),
  mode: modeSchema,
  contracts: z.array(contractSummarySchema),
  natives: z.array(z.string()).describe('Surety’s own tools that the caller may propose.'),
});

export const contractSchema = z.object({
  tool: z.string(),
  mode: modeSchema,
  document: z.record(z.string(), z.json()).describe('As the policy says it, after includes.'),
  agents: z.array(z.string()).describe('Agents that may propose it.'),
});

export const policySchema = z.object({
  hash: z.string().nullable().describe('Its hash; null: none is in force, agents are denied.'),
  version: z.int().nullable().describe('Counts the policies of this ledger.'),
  mode: modeSchema,
  file: z.string().nullable().describe('Where it is read from.'),
  environment: z.string().nullable(),
  adoptedAt: z.int().nullable(),
  adoptedSeq: z.int().nullable().describe('The entry that adopted it, which holds it whole.'),
  tools: z.array(z.object({ tool: z.string(), mode: modeSchema })),
  agents: z.array(z.string()),
  problem: z
    .object({ at: z.int(), reason: z.string() })
    .nullable()
    .describe('Why what is on disk is not in force; null when it is.'),
});

export const plannedStepSchema = z.strictObject({
  tool: z.string().min(1).max(128),
  arguments: z.record(z.string(), z.json()).default({}),
  task: z.string().exactOptional(),
});

export const planSchema = z.strictObject({
  steps: z.array(plannedStepSchema).min(1).max(gateLimits.planStepsMax),
  agent: z.string().optional().describe('For whom; an agent asks for itself only.'),
});

const judgedStep = z.object({
  tool: z.string(),
  verdict: decision,
  mode: modeSchema,
  /** In observe mode: what would have been decided. */
  wouldBe: z.enum(['deny', 'hold']).nullable(),
  said: z.array(said),
  assumes: z.array(z.string()).describe('What later steps were judged on.'),
  repeats: z.string().nullable().describe('The proposal whose outcome would be answered.'),
});

export type JudgedStep = Omit<Immutable<z.infer<typeof judgedStep>>, 'said'> & {
  readonly said: readonly RuleFinding[];
};

export const judgedPlanSchema = z.object({ ok: z.boolean(), steps: z.array(judgedStep) });
