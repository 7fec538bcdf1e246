import { z } from 'zod';
import { type Operation, readers } from './operation.ts';

const serviceStatus = z.object({
  service: z.string(),
  port: z.int(),
  state: z.enum(['running', 'stopped']),
  pid: z.int().nullable(),
  instance: z.string().nullable(),
  commit: z.string().nullable().describe('The version it runs.'),
});

const system = z.object({ services: z.array(serviceStatus) });

export const systemOperations = {
  'GET /v1/system': {
    summary: 'The services of the baseline.',
    response: system,
    roles: [...readers, 'agent'],
  },
  'POST /v1/system/up': {
    summary: 'Starts the services that do not run, in the order of their dependencies.',
    response: system,
    roles: ['operator'],
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
