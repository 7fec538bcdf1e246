import { z } from 'zod';
import { limits, roles } from '../kernel/index.ts';
import { lanesSchema, queues, stores } from './data-schema.ts';
import { overlay, portNumber, service, serviceName } from './service-schema.ts';
import { changesMeant, suite } from './suite-schema.ts';
import { telemetrySchema } from './telemetry-schema.ts';
import { trafficSchema } from './traffic-schema.ts';

const alert = z.strictObject({
  service: serviceName.describe('Whose metric it is.'),
  metric: z
    .string()
    .min(1)
    .describe('Its name in the Prometheus text format; all series are added up.'),
  path: z.string().default('/metrics').describe('Where the metrics are.'),
  rise: z.number().positive().default(1).describe('By how much it must grow to be told.'),
});

const perMinute = z.int('use a whole number').min(1, 'use at least 1');

const upstream = z
  .strictObject({
    command: z
      .array(z.string().min(1))
      .min(1, 'say the program and its arguments')
      .optional()
      .describe('A server that is started here and spoken to on its standard input and output.'),
    environment: z
      .record(z.string(), z.string())
      .optional()
      .describe('Variables that it gets besides PATH, HOME and the like.'),
    directory: z.string().optional().describe('Where it is started, relative to this file.'),
    url: z.url('use http://host/path').optional().describe('A server that is spoken to over HTTP.'),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe('Sent with every request. Write ${NAME} to take it from the environment.'),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    message: 'say either command or url',
  })
  .refine(({ command, environment, directory }) => command || !(environment || directory), {
    message: 'environment and directory are for a command',
  })
  .refine(({ url, headers }) => url !== undefined || !headers, {
    message: 'headers are for a url',
  });

/** An agent is named under `agents`, where the policy says what it may propose. */
const personRole = z.enum(roles).exclude(['agent']);

const person = z.strictObject({
  roles: z
    .array(personRole)
    .min(1, 'give at least one role')
    .describe('What they are here for; `admin` may do everything.'),
  clients: z
    .array(serviceName)
    .default([])
    .describe(
      'Agents at whose clients they sit: what a contract lets be asked there, they answer.',
    ),
});

export type AlertConfig = z.output<typeof alert>;

/** What carries something else on every request. */
const taken =
  /^(?:baggage|traceparent|tracestate|x-request-id|x-surety-.*|host|connection|content-.*|te|trailer|transfer-encoding|upgrade|authorization|cookie)$/;

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
      requestsPerMinute: perMinute
        .default(limits.agentRequestsPerMinute)
        .describe('How often each agent may call the API and MCP; more are answered with 429.'),
      requestsPerMinuteOf: z
        .record(serviceName, perMinute)
        .default({})
        .describe('The same for single agents, by name.'),
    })
    .prefault({})
    .describe('The HTTP API, always on loopback.'),
  services: z
    .record(serviceName, service)
    .default({})
    .describe('The services of the system, by name.'),
  datastores: stores.describe('Databases that services use, by name.'),
  queues: queues.describe('Queues that services use, by name.'),
  overlays: z
    .record(serviceName, overlay)
    .default({})
    .describe('Other ways to run the system, by name: surety system up --overlay <name>.'),
  suites: z
    .record(serviceName, suite)
    .default({})
    .describe('Programs that check the system, by name. docs/suites.md says how to write one.'),
  verifyInFull: z
    .array(changesMeant)
    .default([])
    .describe('Changes that are verified in the profile `full`, whatever profile is asked for.'),
  tests: suite
    .omit({ when: true })
    .optional()
    .describe('How a test that an agent submits is run; the path of its file is added.'),
  alerts: z.record(serviceName, alert).default({}).describe('Metrics whose rise means trouble.'),
  policy: z
    .string()
    .min(1)
    .optional()
    .describe('The policy document with contracts, agents and budgets, relative to this file.'),
  environment: z.string().optional().describe('Which of the environments of the policy this is.'),
  notify: z
    .array(
      z
        .strictObject({
          webhook: z
            .url('use http://host/path')
            .optional()
            .describe('Gets a POST with the notice.'),
          command: z.string().min(1).optional().describe('Gets the notice on its standard input.'),
        })
        .refine(({ webhook, command }) => (webhook === undefined) !== (command === undefined), {
          message: 'say either webhook or command',
        }),
    )
    .default([])
    .describe(
      'Who is told when a person is needed: an approval, a recovery, a stop. Each gets up to ' +
        `${limits.notificationsMax} notices at once; ${limits.notificationsQueuedMax} wait, and ` +
        'more are not sent but counted on the chain.',
    ),
  agents: z
    .record(
      serviceName,
      z.strictObject({ tools: z.array(z.string()).describe('What it may propose.') }),
    )
    .default({})
    .describe(
      'Agents by name, besides those of the policy. One that is named nowhere may propose nothing.',
    ),
  people: z
    .record(serviceName, person)
    .default({})
    .describe(
      'People besides the owner of this directory, by name. Each gets a token in .surety/people.',
    ),
  mcp: z
    .strictObject({
      servers: z
        .record(
          serviceName.refine((name) => name !== 'surety', 'this name is taken'),
          upstream,
        )
        .default({})
        .describe('Tool servers behind the gateway, by name. Every call of theirs is decided.'),
    })
    .default({ servers: {} })
    .describe('The gateway for MCP, at /mcp of the HTTP API.'),
  ingress: z
    .union([serviceName, z.strictObject({ service: serviceName, port: portNumber })])
    .optional()
    .describe(
      'The service at which requests from outside arrive. As `{ service, port }`, the router ' +
        'listens on that port: keyed requests go to their lane, all others to the baseline.',
    ),
  routing: z
    .strictObject({
      header: z
        .string()
        .regex(/^[a-z0-9!#$%&'*+.^_`|~-]+$/, 'use the lower-case name of a header')
        .refine((name) => !taken.test(name), 'this header has a meaning already')
        .optional()
        .describe('One more header that may carry the key of a lane.'),
    })
    .default({})
    .describe('How requests say which lane they are for.'),
  protected: z
    .array(
      z
        .string()
        .min(1)
        .regex(
          /^[^*]*(\/\*{1,2})?$/,
          'name a file or a folder; of patterns, only a last /* or /** is known',
        ),
    )
    .default([])
    .describe('Files and folders that no change may touch unless a person allows it.'),
  telemetry: telemetrySchema
    .prefault({})
    .describe('What services report, and who else is told or asked.'),
  traffic: trafficSchema.prefault({}).describe('Which requests may be repeated to measure.'),
  promotion: z
    .strictObject({
      watchSeconds: z
        .int()
        .min(0)
        .max(limits.promotionWatchSecondsMax)
        .default(60)
        .describe('How long a promotion is looked after; 0 for not at all.'),
      passHours: z
        .int()
        .min(1)
        .max(limits.promotionPassHoursMax)
        .default(24)
        .describe('How old a pass may be that lets a change be promoted.'),
    })
    .prefault({})
    .describe('What lets a change be promoted, and how long it is looked after.'),
  lanes: lanesSchema
    .default(lanesSchema.parse({}))
    .describe('How long lanes live, and how many there may be.'),
});

export type ConfigDocument = z.output<typeof configSchema>;
