import { z } from 'zod';
import { serviceName } from './service-schema.ts';

const step = z.strictObject({
  command: z.string().min(1, 'say how to run it').describe('The shell command that runs it.'),
  directory: z.string().default('.').describe('The working directory, relative to this file.'),
  environment: z
    .record(z.string(), z.string())
    .default({})
    .describe('Its environment variables, in addition to that of the store.'),
});

const commands = z.strictObject({
  create: z
    .string()
    .min(1)
    .describe('Makes a branch for SURETY_LANE and prints its URL on the last line.'),
  drop: z.string().min(1).describe('Removes the branch of SURETY_LANE.'),
});

export const datastore = z.strictObject({
  kind: z.enum(['postgres', 'redis']).describe('The kind.'),
  url: z.string().min(1).describe('Its address. ${NAME} comes from the environment.'),
  variable: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'use the name of a variable')
    .describe('The variable in which its services get the address.'),
  start: z
    .string()
    .min(1)
    .optional()
    .describe(
      'How Surety starts it if nothing answers at its address: `local` for the PostgreSQL or Redis ' +
        'that is installed on this machine, or a shell command such as `docker run …`.',
    ),
  migrations: step
    .extend({
      paths: z
        .array(z.string())
        .default([])
        .describe(
          'Files and folders of the migrations: a change to one of them is verified on a ' +
            'branch of the store.',
        ),
    })
    .optional(),
  seeds: step.optional(),
  refreshMinutes: z
    .int('use a whole number')
    .min(1, 'use 1 or more')
    .default(24 * 60)
    .describe('The maximum age of a template before it is copied again from the live database.'),
  branch: z
    .union([z.enum(['template', 'database', 'prefix']), commands])
    .optional()
    .describe(
      'How a lane gets its own data: `template` for postgres, `database` or `prefix` for redis, ' +
        'or two commands, `{ create, drop }`.',
    ),
});

export const queue = z.strictObject({
  kind: z.enum(['nats', 'rabbitmq']).describe('The kind.'),
  url: z.string().min(1).describe('Its address. ${NAME} comes from the environment.'),
  variable: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'use the name of a variable')
    .optional()
    .describe('The variable in which services that name it in `queues` get the address.'),
});

export const stores = z.record(serviceName, datastore).default({});
export const queues = z.record(serviceName, queue).default({});

const lifeMinutes = z.int('use a whole number').min(1, 'use 1 or more');
const count = z.int('use a whole number').min(1, 'use 1 or more');

export const lanesSchema = z.strictObject({
  ttlMinutes: lifeMinutes.default(30).describe('The default lifetime of a lane.'),
  ttlMinutesMax: lifeMinutes
    .max(24 * 60, 'use at most 1440, a day')
    .default(240)
    .describe('The longest lifetime of a lane, including extensions.'),
  perAgent: count.default(5).describe('Lanes that one agent may have open.'),
  perMachine: count.default(100).describe('Lanes that may be open in total.'),
  processesMax: count.optional().describe('Processes of all lanes together.'),
  memoryMbMax: count.optional().describe('Memory of all lanes together.'),
  cpuMax: z.number().positive().optional().describe('CPUs that all lanes together may use.'),
});
