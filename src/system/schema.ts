import { z } from 'zod';

/** Everything that surety.yaml may say. docs/configuration.md is generated from this. */
export const configSchema = z.strictObject({
  workspace: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'use 1 to 63 lower-case letters, digits and dashes')
    .default('default')
    .describe('The name of this ledger, policy set and system.'),
  ledger: z
    .strictObject({
      store: z
        .enum(['sqlite', 'postgres'])
        .default('sqlite')
        .describe('`sqlite`: a file in .surety. `postgres`: a database that daemons may share.'),
      url: z
        .string()
        .regex(/^postgres(?:ql)?:\/\/\S+$/, 'use postgres://user@host:port/database')
        .optional()
        .describe('Where Postgres is. Write ${NAME} to take it from the environment.'),
    })
    .default({ store: 'sqlite' })
    .describe('Where the ledger lies.'),
  api: z
    .strictObject({
      port: z
        .int('use a whole number')
        .min(0, 'use 0 to 65535')
        .max(65_535, 'use 0 to 65535')
        .default(0)
        .describe('Port of the HTTP API on 127.0.0.1; 0 picks a free one.'),
    })
    .default({ port: 0 })
    .describe('The HTTP API, always on loopback.'),
});

export type Config = z.output<typeof configSchema>;
