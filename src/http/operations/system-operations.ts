import { z } from 'zod';
import { limits } from '../../kernel/index.ts';
import { type Operation, readers } from './operation.ts';

const serviceStatus = z.object({
  service: z.string(),
  port: z.int(),
  state: z
    .enum(['running', 'unhealthy', 'starting', 'restarting', 'crashed', 'stopped'])
    .describe('`crashed`: it was started again so often that it was given up.'),
  reason: z.string().nullable().describe('What is wrong, or how it ended the last time.'),
  address: z.string().nullable().describe('Where it runs, if it was not started here.'),
  pid: z.int().nullable(),
  instance: z.string().nullable(),
  commit: z.string().nullable().describe('The version it runs.'),
  overlay: z.string().nullable().describe('In which of the ways of surety.yaml it runs.'),
  restarts: z.int().describe('How often in a row it was started again.'),
  startedAt: z.int().nullable(),
  memoryBytes: z.int().nullable().describe('Of all its processes; shared pages count in part.'),
  cpuMs: z.number().nullable().describe('CPU time of its processes since they started.'),
  processes: z.int().nullable(),
});

const system = z.object({ services: z.array(serviceStatus) });

const datastore = z.object({
  store: z.string(),
  kind: z.string(),
  template: z
    .object({ name: z.string(), ageMs: z.number(), bytes: z.int() })
    .nullable()
    .describe('The idle copy of a Postgres; null when there is none yet.'),
  lanes: z.array(z.string()).describe('Lanes that have their own.'),
});

export const systemOperations = {
  'GET /v1/system': {
    summary: 'The services of the baseline.',
    response: system,
    roles: [...readers, 'agent'],
  },
  'GET /v1/datastores': {
    summary: 'The datastores: the lanes that have their own, and what branches are made from.',
    response: z.object({ datastores: z.array(datastore) }),
    roles: readers,
  },
  'POST /v1/system/up': {
    summary: 'Starts the services that do not run, in the order of their dependencies.',
    body: z.strictObject({
      overlay: z.string().optional().describe('In which of the ways of surety.yaml.'),
    }),
    response: system,
    roles: ['operator'],
  },
  'GET /v1/system/{service}/log': {
    summary: 'What a service wrote, without the secrets that Surety knows.',
    path: z.strictObject({ service: z.string() }),
    query: z.strictObject({
      lines: z.coerce.number().int().min(0).max(limits.apiPageEntriesMax).default(100),
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
