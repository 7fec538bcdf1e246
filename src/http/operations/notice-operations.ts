import { z } from 'zod';
import { alertLimits } from '../../investigate/limits.ts';
import { deploymentSchema } from '../../lanes/api-schema.ts';
import { laneLimits } from '../../lanes/limits.ts';
import { type Operation, readers } from './operation.ts';

const texts = z.record(z.string(), z.string());
const state = z.enum(['firing', 'resolved']);

const heard = z.object({
  recorded: z.int().describe('Alerts of which something new was said.'),
  known: z.int().describe('Alerts that were known to be so already.'),
});

const alertsOf = <Alert extends z.ZodType>(alert: Alert) =>
  z
    .array(alert)
    .max(alertLimits.webhookAlertsMax, `send at most ${alertLimits.webhookAlertsMax} at once`);

/** What others tell: alerts of their monitoring, deployments of their pipelines. */
export const noticeOperations = {
  'POST /v1/webhooks/alertmanager': {
    summary: 'Takes a notification of Alertmanager, version 4 of its webhook.',
    // Loose: later versions of it may say more.
    body: z.looseObject({
      version: z.literal('4'),
      alerts: alertsOf(
        z.looseObject({
          status: state,
          labels: texts,
          annotations: texts.optional(),
          startsAt: z.string().optional(),
          fingerprint: z.string().optional(),
        }),
      ),
    }),
    response: heard,
    roles: ['reporter', 'operator'],
  },
  'POST /v1/webhooks/alerts': {
    summary: 'Takes alerts of any other monitoring.',
    body: z.strictObject({
      source: z
        .string()
        .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'use 1 to 40 lower-case letters, digits and dashes')
        .refine((name) => name !== 'surety' && name !== 'alertmanager', 'this name is taken')
        .describe('Who tells it.'),
      alerts: alertsOf(
        z.strictObject({
          name: z.string().min(1),
          state,
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
    }),
    response: heard,
    roles: ['reporter', 'operator'],
  },
  'GET /v1/deployments': {
    summary: 'What was deployed, promoted or configured last, newest first.',
    response: z.object({ deployments: z.array(deploymentSchema) }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/deployments': {
    summary: 'Records that a version of a service was deployed by others.',
    body: z.strictObject({
      service: z
        .string()
        .regex(/^[\w.-]{1,100}$/, 'use 1 to 100 letters, digits, dots, dashes and underscores'),
      version: z.string().min(1).max(laneLimits.deploymentTextCharsMax),
      previous: z
        .string()
        .max(laneLimits.deploymentTextCharsMax)
        .optional()
        .describe('The version before; else the one that was recorded last.'),
      note: z.string().max(laneLimits.deploymentTextCharsMax).optional(),
    }),
    response: z.object({ seq: z.int(), service: z.string(), previous: z.string() }),
    roles: ['reporter', 'agent', 'developer', 'operator'],
    recorded: true,
  },
} as const satisfies Record<string, Operation>;
