import { z } from 'zod';
import {
  alertmanagerNoticeSchema,
  heardSchema,
  incidentClosingSchema,
  incidentListSchema,
  incidentSchema,
  webhookNoticeSchema,
} from '../../investigate/api-schema.ts';
import { deploymentRequestSchema, deploymentSchema } from '../../lanes/api-schema.ts';
import { type Operation, readers } from './operation.ts';

/** What others tell: alerts of their monitoring, deployments of their pipelines. */
export const noticeOperations = {
  'POST /v1/webhooks/alertmanager': {
    summary: 'Takes a notification of Alertmanager, version 4 of its webhook.',
    body: alertmanagerNoticeSchema,
    response: heardSchema,
    roles: ['reporter', 'operator'],
  },
  'POST /v1/webhooks/alerts': {
    summary: 'Takes alerts of any other monitoring.',
    body: webhookNoticeSchema,
    response: heardSchema,
    roles: ['reporter', 'operator'],
  },
  'GET /v1/incidents': {
    summary: 'Incidents: alerts that probably have one cause, newest first.',
    response: incidentListSchema,
    roles: [...readers, 'agent'],
  },
  'GET /v1/incidents/{incident}': {
    summary: 'One incident, with its alerts, its owner and its investigations.',
    path: z.strictObject({ incident: z.string() }),
    response: incidentSchema,
    roles: [...readers, 'agent'],
  },
  'POST /v1/incidents/{incident}/close': {
    summary: 'Closes an incident whose alerts do not resolve by themselves.',
    path: z.strictObject({ incident: z.string() }),
    body: incidentClosingSchema,
    response: incidentSchema,
    roles: ['operator'],
  },
  'GET /v1/deployments': {
    summary: 'What was deployed, promoted or configured last, newest first.',
    response: z.object({ deployments: z.array(deploymentSchema) }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/deployments': {
    summary: 'Records that a version of a service was deployed by others.',
    body: deploymentRequestSchema,
    response: z.object({ seq: z.int(), service: z.string(), previous: z.string() }),
    roles: ['reporter', 'agent', 'developer', 'operator'],
    recorded: true,
  },
} as const satisfies Record<string, Operation>;
