import { z } from 'zod';
import { driftLevels } from '../kernel/index.ts';

const share = z.number().min(0).max(1);

const dimensionSchema = z.object({
  dimension: z.string(),
  divergence: share.describe('Jensen–Shannon divergence, base 2, less what chance explains.'),
  p: z.number().describe('How likely such a difference is by chance.'),
  isShifted: z.boolean(),
  reference: z.int().describe('Actions in the reference.'),
  recent: z.int().describe('Actions in the recent window.'),
  changes: z
    .array(z.object({ category: z.string(), before: share, now: share }))
    .describe('The categories whose share changed most.'),
});

const signalSchema = z.object({
  signal: z.string(),
  usual: z.number().nullable().describe('The learned mean; null while it is being learned.'),
  hasRisen: z.boolean(),
  since: z.int().describe('The step after which the rise began.'),
});

/** The drift of one agent. */
export const driftSchema = z.object({
  agent: z.string(),
  level: z.enum(driftLevels),
  score: z.number().describe('0.6 · (1 − compliance) + 0.4 · divergence, over the last 50 steps.'),
  reasons: z.array(z.string()),
  since: z.int().nullable().describe('When the level was reached.'),
  steps: z.int(),
  isLearning: z.boolean().describe('Whether the reference is still too small to compare with.'),
  profile: z.string().describe('The framework, model and version that the agent declared.'),
  comparedWith: z.string().describe('The profile whose behaviour is the reference, if another.'),
  dimensions: z.array(dimensionSchema),
  signals: z.array(signalSchema),
});

export const driftAcceptanceSchema = z.strictObject({
  agent: z.string().regex(/^agent:/, 'use agent:<name>'),
  reason: z.string().min(1).max(2_000),
});

export const agentProfileSchema = z.strictObject({
  version: z.string().min(1).max(100).optional().describe('The version of the agent.'),
  framework: z.string().min(1).max(100).optional().describe('The framework or client it runs on.'),
  model: z.string().min(1).max(100).optional().describe('The model behind it.'),
});

const counts = {
  steps: z.int(),
  hard: z.int().describe('Calls that ran and broke a hard rule.'),
  prevented: z.int().describe('Calls that would have broken a hard rule, and were denied.'),
  soft: z.int().describe('Steps that broke a soft rule.'),
};

/** How an agent keeps to its contracts. */
export const complianceSchema = z.object({
  agent: z.string(),
  ...counts,
  compliance: share.describe('The share of steps that broke no rule.'),
  sessions: z.int(),
  cleanSessions: z.int().describe('Sessions without a hard violation, prevented ones included.'),
  p: share.describe('The share of clean sessions.'),
  pLow: share.describe('The lower end of its 95 % interval (Clopper–Pearson).'),
  pHigh: share,
  softShortfall: share.describe('The share of steps that broke a soft rule.'),
  episodes: z.int().describe('Runs of soft violations.'),
  unrecovered: z.int().describe('Runs that lasted longer than k steps.'),
  satisfies: z
    .enum(['yes', 'no', 'undecided'])
    .describe('(p, δ, k)-satisfaction with p = 0.95, δ = 0.1, k = 3.'),
  reliability: share.describe('pLow · (1 − soft shortfall) · recovered share.'),
  withoutContracts: z
    .object({
      compliance: share.describe(
        'What would have been visible: nothing is measured, so all is well.',
      ),
      executed: z.int().describe('Violations that would have run and that nobody had noticed.'),
    })
    .describe('What the same run would have looked like without contracts.'),
  contracts: z.array(z.object({ tool: z.string(), ...counts, compliance: share })),
});

export const taskComplianceSchema = z.object({
  task: z.string(),
  ...counts,
  compliance: share,
  episodes: z.int(),
  unrecovered: z.int(),
});

export type DriftView = z.infer<typeof driftSchema>;
export type ComplianceView = z.infer<typeof complianceSchema>;
export type TaskComplianceView = z.infer<typeof taskComplianceSchema>;
