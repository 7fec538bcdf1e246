import { z } from 'zod';
import { serviceName } from './service-schema.ts';

const step = z.strictObject({
  command: z.string().min(1, 'say how to run it').describe('How to run it, as in a shell.'),
  directory: z.string().default('.').describe('Where it is run, relative to this file.'),
  environment: z
    .record(z.string(), z.string())
    .default({})
    .describe('Variables that it gets besides that of the store.'),
});

const commands = z.strictObject({
  create: z
    .string()
    .min(1)
    .describe('Makes a branch for SURETY_LANE and prints its URL on the last line.'),
  drop: z.string().min(1).describe('Removes the branch of SURETY_LANE.'),
});

export const datastore = z.strictObject({
  kind: z.enum(['postgres', 'redis']).describe('What it is.'),
  url: z.string().min(1).describe('Where it is. Write ${NAME} to take it from the environment.'),
  variable: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'use the name of a variable')
    .describe('By which variable its services are told where it is.'),
  migrations: step
    .extend({
      paths: z
        .array(z.string())
        .default([])
        .describe(
          'Files and folders that they are made of: a change of one of them is verified on a ' +
            'branch of the store.',
        ),
    })
    .optional(),
  seeds: step.optional(),
  refreshMinutes: z
    .int('use a whole number')
    .min(1, 'use 1 or more')
    .default(24 * 60)
    .describe('After how long a template is copied again from the live database.'),
  branch: z
    .union([z.enum(['template', 'database', 'prefix']), commands])
    .optional()
    .describe(
      'How a lane gets its own: postgres by `template`, redis by `database` or `prefix`, ' +
        'or `{ create, drop }`, two commands.',
    ),
});

export const queue = z.strictObject({
  kind: z.enum(['nats', 'rabbitmq']).describe('What it is.'),
  url: z.string().min(1).describe('Where it is. Write ${NAME} to take it from the environment.'),
  variable: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'use the name of a variable')
    .optional()
    .describe('By which variable the services are told where it is that have it in `queues`.'),
});

export const stores = z.record(serviceName, datastore).default({});
export const queues = z.record(serviceName, queue).default({});

const lifeMinutes = z.int('use a whole number').min(1, 'use 1 or more');
const count = z.int('use a whole number').min(1, 'use 1 or more');

export const lanesSchema = z.strictObject({
  ttlMinutes: lifeMinutes.default(30).describe('How long a lane lives unless told otherwise.'),
  ttlMinutesMax: lifeMinutes
    .max(24 * 60, 'use at most 1440, a day')
    .default(240)
    .describe('From its opening; then it is gone, however often it was extended.'),
  perAgent: count.default(5).describe('Lanes that one agent may have open.'),
  perMachine: count.default(100).describe('Lanes that may be open at all.'),
  processesMax: count.optional().describe('Processes of all lanes together.'),
  memoryMbMax: count.optional().describe('Memory of all lanes together.'),
  cpuMax: z.number().positive().optional().describe('CPUs that all lanes together may use.'),
});
