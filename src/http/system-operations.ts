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

const lane = z.object({
  lane: z.string().describe('Its id, which is also the key of its requests.'),
  change: z.string().nullable(),
  base: z.string(),
  candidates: z.array(
    z.object({ service: z.string(), instance: z.string(), name: z.string(), port: z.int() }),
  ),
  transient: z.boolean().describe('It ends with the run that opened it.'),
  openedBy: z.string(),
  openedAt: z.int(),
  expiresAt: z.int(),
});

const reach = z.object({
  proven: z.boolean().describe('Every request sent to a candidate was served by it.'),
  candidates: z.array(
    z.object({ service: z.string(), instance: z.string(), sent: z.int(), served: z.int() }),
  ),
  hops: z.int(),
  silent: z.array(z.string()).describe('Services reached with the key that called nobody with it.'),
});

const lanePath = z.strictObject({ lane: z.string() });

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
  'GET /v1/lanes': {
    summary: 'The lanes that are open: an agent’s own, for people all.',
    response: z.object({ lanes: z.array(lane) }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/lanes': {
    summary: 'Starts the services that a patch changes, beside the baseline.',
    body: z.strictObject({
      patch: z.string().optional().describe('Without one, a lane on the baseline itself.'),
      base: z
        .string()
        .optional()
        .describe('The version it is made for; the running one if left out.'),
      ttlMs: z.int().min(1).optional(),
    }),
    response: z.object({ lane, address: z.string().describe('Where its requests are sent.') }),
    roles: ['agent', 'developer'],
  },
  'POST /v1/lanes/{lane}/close': {
    summary: 'Ends everything of a lane.',
    path: lanePath,
    response: z.object({ lane: z.string() }),
    roles: ['agent', 'developer', 'operator'],
  },
  'GET /v1/lanes/{lane}/reach': {
    summary: 'Whether the candidates really served the requests of the lane.',
    path: lanePath,
    response: z.object({ lane, reach, paths: z.array(z.string()), address: z.string() }),
    roles: [...readers, 'agent'],
  },
} as const satisfies Record<string, Operation>;

export { reach as reachSchema };
