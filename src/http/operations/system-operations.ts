import { z } from 'zod';
import { serviceStatusSchema, storeStatusSchema } from '../../lanes/api-schema.ts';
import { apiLimits } from '../limits.ts';
import { type Operation, readers } from './operation.ts';

const system = z.object({ services: z.array(serviceStatusSchema) });

export const systemOperations = {
  'GET /v1/system': {
    summary: 'The services of the baseline.',
    response: system,
    roles: [...readers, 'agent'],
  },
  'GET /v1/datastores': {
    summary: 'The datastores: the lanes that have their own, and what branches are made from.',
    response: z.object({ datastores: z.array(storeStatusSchema) }),
    roles: readers,
  },
  'POST /v1/system/up': {
    summary: 'Starts the services that do not run, in the order of their dependencies.',
    body: z.strictObject({
      overlay: z.string().optional().describe('In which of the ways of surety.yaml.'),
      isWithoutPreload: z
        .boolean()
        .optional()
        .describe('Node services as their users start them. No lane reaches them.'),
    }),
    response: system,
    roles: ['operator'],
  },
  'GET /v1/system/{service}/log': {
    summary: 'What a service wrote, without the secrets that Surety knows.',
    path: z.strictObject({ service: z.string() }),
    query: z.strictObject({
      lines: z.coerce.number().int().min(0).max(apiLimits.apiPageEntriesMax).default(100),
      after: z.coerce.number().int().min(0).optional().describe('`next` of the last answer.'),
    }),
    response: z.object({ service: z.string(), lines: z.array(z.string()), next: z.int() }),
    roles: readers,
  },
  'POST /v1/system/down': {
    summary: 'Stops the services, dependants first.',
    response: system,
    roles: ['operator'],
  },
  'POST /v1/system/restart': {
    summary: 'Starts the same version of a service again.',
    body: z.strictObject({ service: z.string() }),
    response: system,
    roles: ['operator'],
  },
} as const satisfies Record<string, Operation>;
