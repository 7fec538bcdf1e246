import { z } from 'zod';
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
import { type Operation, readers } from './operation.ts';

const taskPath = z.strictObject({ task: z.string() });

const seen = z.object({
  types: z.array(z.string()),
  samples: z.array(z.json()),
  captures: z.int(),
});

const investigation = z.object({
  id: z.string(),
  alert: z.string().nullable(),
  suspect: z.object({ commit: z.string(), services: z.array(z.string()), by: z.string() }),
  cause: z.object({
    confirmed: z.boolean(),
    place: z.object({
      file: z.string(),
      line: z.int(),
      lineBefore: z.int(),
      text: z.string(),
      names: z.array(z.string()),
    }),
    differences: z.array(z.object({ expression: z.string(), failing: seen, healthy: seen })),
    checks: z.array(z.object({ suite: z.string(), check: z.string() })),
    missing: z.string().nullable().describe('What a confirmation would need.'),
  }),
  remedy: z.string().describe('A patch that takes the change back: a proposal, nothing more.'),
  regression: z
    .object({ id: z.string(), fails: z.boolean(), passes: z.boolean() })
    .nullable()
    .describe('A case made of the incident, tried on the bad and on the good version.'),
});

const alert = z.object({
  alert: z.string(),
  state: z.enum(['firing', 'resolved']),
  source: z.string().describe('`surety` for a metric of surety.yaml that rose; else who told it.'),
  service: z.string(),
  metric: z.string(),
  from: z.number().nullable(),
  to: z.number().nullable(),
  note: z.string().describe('What whoever told it says: a text of others, not of Surety.'),
  startsAt: z.string().describe('As whoever told it says.'),
  at: z.int(),
  seq: z.int().describe('The entry of the ledger.'),
});

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
    query: z.strictObject({ profile: profile.optional() }),
    response: verdict,
    roles: ['agent', 'developer'],
  },
  'POST /v1/tasks/{task}/promote': {
    summary: 'Makes the change that passed part of the baseline, without a gap in service.',
    path: taskPath,
    response: z.object({ commit: z.string(), services: z.array(z.string()) }),
    roles: ['agent', 'developer'],
  },
  'POST /v1/promotions': {
    summary: 'Makes a patch part of the baseline on a person’s own authority, without a verdict.',
    body: z.strictObject({ patch: z.string(), reason: z.string().min(1) }),
    response: z.object({ commit: z.string(), services: z.array(z.string()) }),
    roles: ['operator'],
  },
  'GET /v1/alerts': {
    summary: 'The last that was said of each alert, newest first.',
    response: z.object({
      alerts: z.array(alert),
      all: z.int().describe('How many there are; only the newest are told.'),
    }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/investigations': {
    summary: 'Looks for the cause of an alert in the newest change, with probes in both versions.',
    body: z.strictObject({ alert: z.string().optional() }),
    response: investigation,
    roles: ['agent', 'developer', 'operator'],
  },
  'GET /v1/investigations/{investigation}': {
    summary: 'The report of an investigation.',
    path: z.strictObject({ investigation: z.string() }),
    response: investigation,
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
  'GET /v1/verdicts/{verdict}': {
    summary: 'A verdict with all its findings.',
    path: z.strictObject({ verdict: z.string() }),
    response: verdict,
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
