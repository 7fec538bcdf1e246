import { z } from 'zod';
import type { Immutable } from '../kernel/index.ts';
import { alertLimits } from './limits.ts';

const place = z.object({
  file: z.string(),
  /** The line in the version with the change, and the same line in the one without it. */
  line: z.int(),
  lineBefore: z.int(),
  text: z.string(),
  /** What is read there: names, paths and comparisons of the line. */
  names: z.array(z.string()),
  /** The line has no counterpart in the version without the change. */
  isNew: z.boolean(),
  /** Which hunk of the change it belongs to, from 0. */
  hunk: z.int(),
});

/** A place at which a change may show. */
export type ChangedPlace = Immutable<z.infer<typeof place>>;

const share = z.object({ held: z.int(), of: z.int() });

const separation = z.object({
  expression: z.string(),
  kind: z.enum(['type', 'value', 'order', 'pairs']),
  predicate: z.string().describe('True for every failing and for no healthy request.'),
  failing: share,
  healthy: share,
});

/** A predicate that tells failing requests from healthy ones, with its support. */
export type Separation = Immutable<z.infer<typeof separation>>;

const samples = z.object({
  types: z.array(z.string()),
  samples: z.array(z.json()),
  captures: z.int(),
});

/** What an expression was, in all captures of one side. */
export type ObservedValues = Immutable<z.infer<typeof samples>>;

const difference = z.object({
  expression: z.string(),
  predicate: z.string(),
  failing: samples,
  healthy: samples,
});

export type ValueDifference = Immutable<z.infer<typeof difference>>;

const failedCheck = z.object({ suite: z.string(), check: z.string() });

export type FailedCheck = Immutable<z.infer<typeof failedCheck>>;

const suspect = z.object({
  commit: z.string(),
  base: z.string(),
  services: z.array(z.string()),
  by: z.string(),
  at: z.int(),
  note: z.string(),
});

/** A promoted change that may be the cause. */
export type SuspectChange = Immutable<z.infer<typeof suspect>>;

const hypothesisClass = z.enum([
  'type-or-shape',
  'threshold-or-branch',
  'dependency',
  'pool-exhaustion',
  'retry-storm',
  'resource-limit',
  'configuration',
  'data',
  'flag',
  'permission',
  'time',
  'stale-cache',
  'leak',
  'n-plus-one',
]);

export type HypothesisClass = z.infer<typeof hypothesisClass>;

const hypothesis = z.object({
  id: z.string(),
  class: hypothesisClass,
  statement: z.string(),
  mechanism: z.string(),
  confirms: z.string(),
  refutes: z.string(),
  cost: z.string().describe('What testing it takes.'),
  suspect: z.string().describe('The commit of the change.'),
  place,
  status: z.enum(['confirmed', 'refuted', 'open']),
  evidence: z.array(z.string()),
});

/** A possible cause, and what is known about it so far. */
export type Hypothesis = Immutable<z.infer<typeof hypothesis>>;

const condition = z.object({
  id: z.string(),
  class: hypothesisClass,
  statement: z.string(),
  mechanism: z.string(),
  confirms: z.string(),
  refutes: z.string(),
  cost: z.string().describe('What testing it takes.'),
  service: z.string(),
  variable: z.string().describe('The variable of the environment, if it is about one.'),
  place: z.object({ file: z.string(), line: z.int(), text: z.string() }).nullable(),
  status: z.enum(['confirmed', 'refuted', 'open']),
  evidence: z.array(z.string()),
});

/** A possible cause that is no change of the code, and what is known about it so far. */
export type CauseCondition = Immutable<z.infer<typeof condition>>;

const cause = z.object({
  confirmed: z.boolean(),
  condition: condition.nullable().describe('The cause, if it is no change of the code.'),
  place: place.nullable(),
  separation: separation.nullable(),
  differences: z.array(difference),
  effects: z
    .array(
      z.object({
        service: z.string(),
        file: z.string(),
        line: z.int(),
        text: z.string(),
        expression: z.string(),
        failing: samples,
        healthy: samples,
      }),
    )
    .describe('What the same value does in services that receive it.'),
  /** Checks that fail with the change and hold without it. */
  checks: z.array(failedCheck),
  missing: z.string().nullable().describe('What a confirmation would need.'),
});

/** Confirmed only with captures that tell the failing side from the healthy one. */
export type Cause = Immutable<z.infer<typeof cause>>;

export type CauseEffect = Cause['effects'][number];

export const investigationSchema = z.object({
  id: z.string(),
  status: z.enum(['confirmed', 'unknown']),
  question: z.string().nullable(),
  alert: z.string().nullable(),
  incident: z.string().nullable().describe('The incident it began from, or that has the alert.'),
  startedAt: z.int(),
  endedAt: z.int(),
  suspect: suspect.nullable().describe('The change with the cause; null if it is unknown.'),
  cause,
  hypotheses: z.array(hypothesis),
  conditions: z.array(condition).describe('Possible causes that are no change of the code.'),
  ranking: z
    .array(z.object({ service: z.string(), score: z.number(), moved: z.string() }))
    .describe('Services by how much their telemetry changed: a suspicion, no evidence.'),
  timeline: z.array(z.object({ at: z.int(), what: z.string() })),
  blastRadius: z.object({ services: z.array(z.string()), checks: z.int() }),
  owners: z
    .array(z.string())
    .describe('Of the file with the cause, by CODEOWNERS; else of the incident.'),
  remedy: z.string().describe('A patch that takes the cause back: a proposal, nothing more.'),
  unknown: z.array(z.string()).describe('What nobody knows yet.'),
  regression: z
    .object({ id: z.string(), fails: z.boolean(), passes: z.boolean() })
    .nullable()
    .describe('A case made of the incident, tried on the bad and on the good version.'),
});

export type Investigation = Immutable<z.infer<typeof investigationSchema>>;

export const investigationRequestSchema = z.strictObject({
  question: z
    .string()
    .min(1)
    .max(alertLimits.questionCharsMax)
    .optional()
    .describe('In words: why are high-value trades failing since the last promotion?'),
  alert: z.string().optional().describe('The name of a raised alert.'),
  incident: z.string().optional().describe('The id of an incident: inc_…'),
});

export type InvestigationRequest = Immutable<z.infer<typeof investigationRequestSchema>>;

const alertState = z.enum(['firing', 'resolved']);

const alert = z.object({
  alert: z.string(),
  state: alertState,
  source: z
    .string()
    .describe(
      '`surety` for a metric of surety.yaml that rose, `slo` for an objective; else who told it.',
    ),
  service: z.string(),
  metric: z.string(),
  from: z.number().nullable(),
  to: z.number().nullable(),
  note: z.string().describe('What whoever told it says: a text of others, not of Surety.'),
  startsAt: z.string().describe('As whoever told it says.'),
  incident: z.string().nullable().describe('The incident that it belongs to.'),
  at: z.int(),
  seq: z.int().describe('The entry of the ledger.'),
});

/** What is known of an alert: the last time that it was raised, and whether it was taken back. */
export type AlertRecord = Immutable<z.infer<typeof alert>>;

export const alertListSchema = z.object({
  alerts: z.array(alert),
  all: z.int().describe('How many there are; only the newest are told.'),
});

export const incidentSchema = z.object({
  incident: z.string(),
  state: z.enum(['open', 'closed']),
  service: z.string().describe('Where it most likely begins: the deepest service with an alert.'),
  owner: z.string().nullable().describe('Who is responsible, by surety.yaml or CODEOWNERS.'),
  onset: z.int().describe('When the first of its alerts began.'),
  alerts: z.array(
    z.object({
      key: z.string(),
      alert: z.string(),
      source: z.string(),
      service: z.string(),
      onset: z.int(),
      state: alertState,
    }),
  ),
  further: z.int().describe('How many times more an alert was raised than are listed.'),
  openedAt: z.int(),
  closedAt: z.int().nullable(),
  reason: z.string().describe('Why it was closed.'),
  investigations: z.array(z.string()),
});

/** Alerts that probably have one cause. */
export type IncidentRecord = Immutable<z.infer<typeof incidentSchema>>;

export const incidentListSchema = z.object({
  incidents: z.array(incidentSchema),
  all: z.int().describe('How many there are; only the newest are told.'),
});

export const incidentClosingSchema = z.strictObject({
  reason: z
    .string()
    .min(1)
    .max(alertLimits.incidentReasonCharsMax)
    .describe('Why it is over; recorded in the ledger.'),
});

export const heardSchema = z.object({
  recorded: z.int().describe('Alerts of which something new was said.'),
  known: z.int().describe('Alerts that were known to be so already.'),
});

/** How many alerts of a notification were news. */
export type ReceivedAlert = Immutable<z.infer<typeof heardSchema>>;

const texts = z.record(z.string(), z.string());

const alertsOf = <Alert extends z.ZodType>(given: Alert) =>
  z
    .array(given)
    .max(alertLimits.webhookAlertsMax, `send at most ${alertLimits.webhookAlertsMax} at once`);

/** Version 4 of Alertmanager's webhook. Loose: later versions of it may say more. */
export const alertmanagerNoticeSchema = z.looseObject({
  version: z.literal('4'),
  alerts: alertsOf(
    z.looseObject({
      status: alertState,
      labels: texts,
      annotations: texts.optional(),
      startsAt: z.string().optional(),
      fingerprint: z.string().optional(),
    }),
  ),
});

export type AlertmanagerNotice = Pick<
  Immutable<z.infer<typeof alertmanagerNoticeSchema>>,
  'alerts'
>;

const ownSources = ['surety', 'alertmanager', 'slo'];

export const webhookNoticeSchema = z.strictObject({
  source: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'use 1 to 40 lower-case letters, digits and dashes')
    .refine((name) => !ownSources.includes(name), 'this name is taken')
    .describe('Who tells it.'),
  alerts: alertsOf(
    z.strictObject({
      name: z.string().min(1),
      state: alertState,
      id: z
        .string()
        .min(1)
        .optional()
        .describe('The same for all that is said of one alert; else its name and labels are.'),
      service: z.string().optional().describe('Else the label `service`, `app` or `job`.'),
      metric: z.string().optional(),
      note: z.string().optional().describe('For people to read.'),
      startsAt: z.string().optional().describe('Another beginning is another alert.'),
      labels: texts.default({}),
    }),
  ),
});

/** What a webhook of any other monitoring says. */
export type WebhookNotice = Immutable<z.infer<typeof webhookNoticeSchema>>;
