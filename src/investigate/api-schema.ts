import { z } from 'zod';
import type { Immutable } from '../kernel/index.ts';
import { alertLimits } from './limits.ts';

const samples = z.object({
  types: z.array(z.string()),
  samples: z.array(z.json()),
  captures: z.int(),
});

/** What an expression was, in all captures of one side. */
export type ObservedValues = Immutable<z.infer<typeof samples>>;

const difference = z.object({ expression: z.string(), failing: samples, healthy: samples });

export type ValueDifference = Immutable<z.infer<typeof difference>>;

const place = z.object({
  file: z.string(),
  /** The line in the version with the change, and the same line in the one before it. */
  line: z.int(),
  lineBefore: z.int(),
  text: z.string(),
  /** Names that the change gives a new value and that this line uses. */
  names: z.array(z.string()),
});

/** A place that a change may have made wrong: the first line after what was changed. */
export type ChangedPlace = Immutable<z.infer<typeof place>>;

const failedCheck = z.object({ suite: z.string(), check: z.string() });

export type FailedCheck = Immutable<z.infer<typeof failedCheck>>;

const cause = z.object({
  confirmed: z.boolean(),
  place,
  differences: z.array(difference),
  /** Checks that fail with the change and hold without it. */
  checks: z.array(failedCheck),
  missing: z.string().nullable().describe('What a confirmation would need.'),
});

/** Confirmed only with captures that tell the failing side from the healthy one. */
export type Cause = Immutable<z.infer<typeof cause>>;

export const investigationSchema = z.object({
  id: z.string(),
  alert: z.string().nullable(),
  suspect: z.object({ commit: z.string(), services: z.array(z.string()), by: z.string() }),
  cause,
  remedy: z.string().describe('A patch that takes the change back: a proposal, nothing more.'),
  regression: z
    .object({ id: z.string(), fails: z.boolean(), passes: z.boolean() })
    .nullable()
    .describe('A case made of the incident, tried on the bad and on the good version.'),
});

export type Investigation = Immutable<z.infer<typeof investigationSchema>>;

export const investigationRequestSchema = z.strictObject({ alert: z.string().optional() });

const alertState = z.enum(['firing', 'resolved']);

const alert = z.object({
  alert: z.string(),
  state: alertState,
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

/** What is known of an alert: the last time that it was raised, and whether it was taken back. */
export type AlertRecord = Immutable<z.infer<typeof alert>>;

export const alertListSchema = z.object({
  alerts: z.array(alert),
  all: z.int().describe('How many there are; only the newest are told.'),
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

export const webhookNoticeSchema = z.strictObject({
  source: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'use 1 to 40 lower-case letters, digits and dashes')
    .refine((name) => name !== 'surety' && name !== 'alertmanager', 'this name is taken')
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
