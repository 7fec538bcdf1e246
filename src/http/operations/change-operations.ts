import { z } from 'zod';
import { limits } from '../../kernel/index.ts';
import {
  calibrationRunSchema,
  calibrationSchema,
  profileSchema as profile,
} from './calibration-schema.ts';
import { type Operation, readers } from './operation.ts';
import { validation, validationRequest } from './validation-schema.ts';
import { verdictSchema as verdict } from './verdict-schema.ts';

const taskPath = z.strictObject({ task: z.string() });

const check = z.object({
  check: z.string(),
  passed: z.boolean(),
  expected: z.json(),
  actual: z.json(),
  requestId: z.string().nullable(),
});

const suiteRun = z.object({
  suite: z.string(),
  result: z.enum(['passed', 'failed', 'broken']),
  checks: z.array(check),
  reason: z.string().nullable(),
});

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

const givenRequest = z.strictObject({
  method: z.string().regex(/^[A-Z]{3,10}$/, 'use a method in capital letters'),
  path: z.string().startsWith('/'),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.json().optional().describe('A text as it is; anything else as JSON.'),
  status: z.int().optional().describe('What it is to be answered with; 200 if left out.'),
});

/** The way of a change, from a failing test to its promotion. */
export const changeOperations = {
  'POST /v1/tasks/{task}/test': {
    summary: 'Runs a test on the baseline; it must fail.',
    path: taskPath,
    body: z.strictObject({ path: z.string(), code: z.string() }),
    response: suiteRun,
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
    body: z.strictObject({
      suites: z.array(z.string()).min(1).optional().describe('All suites if left out.'),
      lane: z.string().optional().describe('The running version if left out.'),
    }),
    response: z.object({ version: z.string(), runs: z.array(suiteRun) }),
    roles: ['agent', 'developer'],
  },
  'POST /v1/calibrations': {
    summary:
      'Reaches verdicts on the running version, with nothing changed, and counts what fails.',
    body: z.strictObject({
      verdicts: z.int().min(1).max(limits.calibrationVerdictsMax),
      services: z
        .array(z.string())
        .min(1)
        .optional()
        .describe('Started anew, in turn; those that suites reach if left out.'),
      atOnce: z.int().min(1).optional().describe('How many of them for each verdict; 1.'),
      profile: profile.optional().describe('`quick` if left out.'),
    }),
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
    response: z.object({
      running: z.array(
        z.object({
          verdict: z.string().describe('The id that its verdict will have.'),
          actor: z.string(),
          change: z.string(),
          startedAt: z.int(),
          stage: z.string(),
        }),
      ),
    }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/validations': {
    summary: 'Runs a change in a lane and judges it, within a time: one call for a harness.',
    body: validationRequest,
    response: validation,
    roles: ['agent', 'developer'],
  },
  'POST /v1/verdicts': {
    summary: 'Verifies a change on the running system, without a task.',
    body: z.strictObject({
      patch: z.string().optional().describe('A unified diff; or one of the following.'),
      ref: z.string().optional().describe('What was done on this branch or commit.'),
      worktree: z.boolean().optional().describe('What is in the checkout now.'),
      change: z.string().optional().describe('What was judged before under this id.'),
      base: z.string().optional().describe('The running version if left out.'),
      suites: z.array(z.string()).min(1).optional().describe('All suites if left out.'),
      profile: profile.optional().describe('`quick` if left out; `full` takes minutes.'),
      traffic: z
        .array(givenRequest)
        .max(limits.takenRequestsMax)
        .optional()
        .describe('Requests that are compared and measured besides those of the suites.'),
      recorded: z
        .boolean()
        .optional()
        .describe('False: without what was recorded of the baseline, where that is allowed.'),
      test: z
        .strictObject({ path: z.string(), code: z.string() })
        .optional()
        .describe('A test that has to hold on the change.'),
      unnecessary: z
        .boolean()
        .optional()
        .describe('Also leaves each hunk out once, and tells what nothing needs.'),
    }),
    response: verdict,
    roles: ['developer'],
  },
} as const satisfies Record<string, Operation>;
