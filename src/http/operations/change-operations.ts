import { z } from 'zod';
import {
  alertListSchema,
  investigationRequestSchema,
  investigationSchema,
} from '../../investigate/api-schema.ts';
import {
  personalPromotionSchema,
  promotionSchema,
  rollbackSchema,
} from '../../lanes/api-schema.ts';
import {
  calibrationRequestSchema,
  calibrationRunSchema,
  calibrationSchema,
  profileSchema as profile,
  runningVerificationSchema,
  submittedTestSchema,
  suiteRunSchema,
  suitesRequestSchema,
  suitesRunSchema,
  validationRequestSchema,
  validationSchema,
  verdictSchema as verdict,
  verdictRequestSchema,
} from '../../verify/api-schema.ts';
import { listedVerdictSchema } from '../../verify/history/api-schema.ts';
import { verifyLimits } from '../../verify/limits.ts';
import { type Operation, readers } from './operation.ts';

const taskPath = z.strictObject({ task: z.string() });

/** The way of a change, from a failing test to its promotion. */
export const changeOperations = {
  'POST /v1/tasks/{task}/test': {
    summary: 'Runs a test on the baseline; it must fail.',
    path: taskPath,
    body: submittedTestSchema,
    response: suiteRunSchema,
    roles: ['agent', 'developer'],
  },
  'POST /v1/tasks/{task}/change': {
    summary: 'Proposes a change as a patch.',
    path: taskPath,
    body: z.strictObject({ patch: z.string() }),
    response: z.object({ change: z.string(), services: z.array(z.string()) }),
    roles: ['agent', 'developer'],
  },
  'POST /v1/tasks/{task}/verify': {
    summary: 'Verifies the change of the task on the running system.',
    path: taskPath,
    query: z.strictObject({
      profile: profile.optional(),
      callers: verdictRequestSchema.shape.callers,
    }),
    response: verdict,
    roles: ['agent', 'developer'],
  },
  'POST /v1/tasks/{task}/promote': {
    summary: 'Makes the change that passed part of the baseline, without a gap in service.',
    path: taskPath,
    response: promotionSchema,
    roles: ['agent', 'developer'],
  },
  'POST /v1/promotions': {
    summary: 'Makes a change part of the baseline, with its fresh pass, or else with a reason.',
    body: verdictRequestSchema
      .pick({ patch: true, ref: true, worktree: true, change: true })
      .extend({ reason: z.string().min(1).optional().describe('Needed without a fresh pass.') }),
    response: personalPromotionSchema,
    roles: ['operator'],
  },
  'POST /v1/rollbacks': {
    summary: 'Takes back the promotion that runs; the version before takes over.',
    body: z.strictObject({ reason: z.string().min(1) }),
    response: rollbackSchema,
    roles: ['operator'],
  },
  'GET /v1/alerts': {
    summary: 'The last that was said of each alert, newest first.',
    response: alertListSchema,
    roles: [...readers, 'agent'],
  },
  'POST /v1/investigations': {
    summary:
      'Looks for the cause of an alert or a question in promoted changes, with read-only probes.',
    body: investigationRequestSchema,
    response: investigationSchema,
    roles: ['agent', 'developer', 'operator'],
  },
  'GET /v1/investigations/{investigation}': {
    summary: 'The report of an investigation.',
    path: z.strictObject({ investigation: z.string() }),
    response: investigationSchema,
    roles: [...readers, 'agent'],
  },
  'GET /v1/suites': {
    summary: 'The suites of the system.',
    response: z.object({ suites: z.array(z.object({ suite: z.string(), command: z.string() })) }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/suites/run': {
    summary: 'Runs suites on a lane, or on what runs now. No verdict comes of it.',
    body: suitesRequestSchema,
    response: suitesRunSchema,
    roles: ['agent', 'developer'],
  },
  'POST /v1/calibrations': {
    summary:
      'Reaches verdicts on the running version, with nothing changed, and counts what fails.',
    body: calibrationRequestSchema,
    response: calibrationRunSchema,
    roles: ['developer', 'operator'],
  },
  'GET /v1/calibrations': {
    summary: 'How often verdicts failed where nothing was changed, in the last 30 days.',
    query: z.strictObject({
      profile: profile.optional().describe('`quick` if left out.'),
      atOnce: z.coerce.number().int().min(1).optional().describe('So many services or more; 1.'),
    }),
    response: z.object({ calibration: calibrationSchema.nullable() }),
    roles: [...readers, 'agent'],
  },
  'GET /v1/verdicts': {
    summary: 'The last verdict on each change, newest first.',
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(verifyLimits.listedVerdictsMax).default(20),
    }),
    response: z.object({ verdicts: z.array(listedVerdictSchema) }),
    roles: [...readers, 'agent'],
  },
  'GET /v1/verdicts/{verdict}': {
    summary: 'A verdict with all its findings.',
    path: z.strictObject({ verdict: z.string() }),
    response: verdict,
    roles: [...readers, 'agent'],
  },
  'GET /v1/passes': {
    summary: 'Whether exactly this version of the workspace has a pass that still counts.',
    query: z.strictObject({
      ref: z.string().min(1).optional().describe('A branch or commit; otherwise the working tree.'),
    }),
    response: z.object({
      isVerified: z.boolean().describe('Also true if it is the baseline itself.'),
      verdict: z.string().nullable().describe('The pass; null if there is none.'),
      why: z.string().nullable().describe('Why it is not verified.'),
    }),
    roles: [...readers, 'agent'],
  },
  'GET /v1/verifications': {
    summary: 'The verifications that run now, and what each is doing.',
    response: z.object({ running: z.array(runningVerificationSchema) }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/validations': {
    summary: 'Runs a change in a lane and judges it, within a time: one call for a harness.',
    body: validationRequestSchema,
    response: validationSchema,
    roles: ['agent', 'developer'],
  },
  'POST /v1/verdicts': {
    summary: 'Verifies a change on the running system, without a task.',
    body: verdictRequestSchema,
    response: verdict,
    roles: ['developer'],
  },
} as const satisfies Record<string, Operation>;
