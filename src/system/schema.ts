import { z } from 'zod';
import { roles } from '../kernel/index.ts';
import { confineSchema } from './confine-schema.ts';
import { lanesSchema, queues, stores } from './data-schema.ts';
import { kubernetesSchema } from './kubernetes-schema.ts';
import { systemLimits } from './limits.ts';
import { modelsSchema } from './models-schema.ts';
import { probesSchema } from './probes-schema.ts';
import { callerMode, overlay, portNumber, service, serviceName } from './service-schema.ts';
import { slo } from './slo-schema.ts';
import { changesMeant, suite } from './suite-schema.ts';
import { telemetrySchema } from './telemetry-schema.ts';
import { trafficSchema } from './traffic-schema.ts';

const alert = z.strictObject({
  service: serviceName.describe('The service that has the metric.'),
  metric: z
    .string()
    .min(1)
    .describe('The name of the metric in the Prometheus text format; all its series are added up.'),
  path: z.string().default('/metrics').describe('The path of the metrics.'),
  rise: z.number().positive().default(1).describe('The rise that raises an alert.'),
});

const perMinute = z.int('use a whole number').min(1, 'use at least 1');

const upstream = z
  .strictObject({
    command: z
      .array(z.string().min(1))
      .min(1, 'say the program and its arguments')
      .optional()
      .describe('A server that the daemon starts and talks to over stdio.'),
    environment: z
      .record(z.string(), z.string())
      .optional()
      .describe('Its environment variables, in addition to PATH, HOME and similar ones.'),
    directory: z.string().optional().describe('The working directory, relative to this file.'),
    url: z
      .url('use http://host/path')
      .optional()
      .describe('The address of a server that speaks HTTP.'),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe('Headers of every request. ${NAME} comes from the environment.'),
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

const readKinds = ['logs', 'traces', 'metrics', 'captures', 'sql'] as const;

export type ReadKind = (typeof readKinds)[number];

const agent = z.strictObject({
  tools: z.array(z.string()).describe('Tools that the agent may propose.'),
  reads: z
    .strictObject({
      kinds: z
        .array(z.enum(readKinds))
        .default([...readKinds])
        .describe('What it may read.'),
      services: z
        .array(serviceName)
        .optional()
        .describe('The services of which it may read; without it, all.'),
    })
    .optional()
    .describe('What the agent may read of the baseline and its own lanes; without it, everything.'),
});

/** An agent is named under `agents`, where the policy says what it may propose. */
const personRole = z.enum(roles).exclude(['agent']);

const person = z.strictObject({
  roles: z
    .array(personRole)
    .min(1, 'give at least one role')
    .describe('Their roles; `admin` may do everything.'),
  clients: z
    .array(serviceName)
    .default([])
    .describe(
      'Agents whose client this person uses: contracts with `elicited` ask the person there.',
    ),
});

export type AlertConfig = z.output<typeof alert>;

/** What carries something else on every request. */
const taken =
  /^(?:baggage|traceparent|tracestate|x-request-id|x-surety-.*|host|connection|content-.*|te|trailer|transfer-encoding|upgrade|authorization|cookie)$/;

/** Everything that surety.yaml may say. docs/configuration.md is generated from this. */
const unexecutedRules = ['inconclusive', 'notice'] as const;

const variantRules = ['all', 'reads', 'off'] as const;

/** What changed code that no request ran makes of a verdict that would pass. */
export type UnexecutedRule = (typeof unexecutedRules)[number];

export const configSchema = z.strictObject({
  models: modelsSchema,
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
        .describe('The address of Postgres. ${NAME} comes from the environment.'),
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
        .default(systemLimits.agentRequestsPerMinute)
        .describe(
          'How many requests per minute each agent may send to the API and MCP; further ones get 429.',
        ),
      tokenDays: z
        .int()
        .min(0)
        .max(3_650)
        .default(90)
        .describe(
          'After how many days the tokens of the owner, of people and of agents are replaced in their files; 0: never.',
        ),
      requestsPerMinuteOf: z
        .record(serviceName, perMinute)
        .default({})
        .describe('The same limit for single agents, by name.'),
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
    .describe('Changes that are always verified in the profile `full`.'),
  verify: z
    .strictObject({
      unexecuted: z
        .enum(unexecutedRules)
        .optional()
        .describe(
          'What changed code that no request ran makes of a pass. If left out: `inconclusive` for ' +
            'agents, a `notice` for people. A change of which nothing ran never passes.',
        ),
      undistinguished: z
        .enum(unexecutedRules)
        .default('notice')
        .describe(
          'What it makes of a pass if nothing that was compared tells the change from the ' +
            'baseline, and no test of the change fails without it. For a refactoring, that is ' +
            'right. `inconclusive` demands a test of every change.',
        ),
      variants: z
        .enum(variantRules)
        .default('all')
        .describe(
          'Which requests Surety makes for a change, from those that suites and clients send: `all` ' +
            'that are safe to repeat, only `reads`, or none (`off`).',
        ),
    })
    .prefault({})
    .describe('How changes are judged.'),
  tests: suite
    .omit({ when: true })
    .optional()
    .describe('How to run a test that an agent submits; Surety appends the path of its file.'),
  alerts: z.record(serviceName, alert).default({}).describe('Metrics whose rise raises an alert.'),
  slo: z
    .record(serviceName, slo)
    .default({})
    .describe('Objectives for requests, by name; telemetry that misses one raises an alert.'),
  policy: z
    .string()
    .min(1)
    .optional()
    .describe('The policy document with contracts, agents and budgets, relative to this file.'),
  environment: z.string().optional().describe('The environment of the policy to use.'),
  notify: z
    .array(
      z
        .strictObject({
          webhook: z
            .url('use http://host/path')
            .optional()
            .describe('An address that gets a POST with the notice.'),
          slack: z
            .url('use https://host/path')
            .optional()
            .describe(
              'An incoming webhook of Slack, or of a program that takes the same messages.',
            ),
          command: z
            .string()
            .min(1)
            .optional()
            .describe('A command that gets the notice on standard input.'),
        })
        .refine((receiver) => Object.values(receiver).filter(Boolean).length === 1, {
          message: 'say either webhook, slack or command',
        }),
    )
    .default([])
    .describe(
      'Who is told when a person is needed: an approval, a recovery, a stop, an incident. Each gets up to ' +
        `${systemLimits.notificationsMax} notices at once; ${systemLimits.notificationsQueuedMax} wait, and ` +
        'more are not sent but counted on the chain.',
    ),
  agents: z
    .record(serviceName, agent)
    .default({})
    .describe(
      'Agents by name, in addition to those of the policy. Any other agent may propose nothing.',
    ),
  people: z
    .record(serviceName, person)
    .default({})
    .describe(
      'People by name, in addition to the owner of this directory. Each has a token in .surety/people.',
    ),
  mcp: z
    .strictObject({
      servers: z
        .record(
          serviceName.refine((name) => name !== 'surety', 'this name is taken'),
          upstream,
        )
        .default({})
        .describe('Tool servers behind the gateway, by name. The gate decides every call to them.'),
    })
    .default({ servers: {} })
    .describe('The gateway for MCP, at /mcp of the HTTP API.'),
  ingress: z
    .union([serviceName, z.strictObject({ service: serviceName, port: portNumber })])
    .optional()
    .describe(
      'The service that receives requests from outside. As `{ service, port }`, the router ' +
        'listens on that port: keyed requests go to their lane, all others to the baseline.',
    ),
  callers: callerMode
    .default('auto')
    .describe(
      'Unchanged services between the ingress and a changed one, in a lane. `shared`: those of the ' +
        'baseline. `own`: the lane runs unchanged copies. `auto`: copies of those that lose the key, ' +
        'cache, batch or queue, or are not known to pass the key on.',
    ),
  routing: z
    .strictObject({
      header: z
        .string()
        .regex(/^[a-z0-9!#$%&'*+.^_`|~-]+$/, 'use the lower-case name of a header')
        .refine((name) => !taken.test(name), 'this header has a meaning already')
        .optional()
        .describe('An additional header that may carry the key of a lane.'),
    })
    .default({})
    .describe('How requests say which lane they are for.'),
  kubernetes: kubernetesSchema
    .optional()
    .describe('The cluster of services that have `lane.kubernetes`.'),
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
    .describe('Files and folders that a change may touch only if a person allows it.'),
  confine: confineSchema
    .default('standard')
    .describe(
      'How programs of a change are confined: `standard`; `strict`, which also confines the baseline; ' +
        'or `off`. docs/confinement.md says what each level gives.',
    ),
  probes: probesSchema.prefault({}).describe('What probes may look into.'),
  telemetry: telemetrySchema
    .prefault({})
    .describe('What services report, and other monitoring that Surety works with.'),
  traffic: trafficSchema.prefault({}).describe('Which requests may be repeated, and recorded.'),
  promotion: z
    .strictObject({
      watchSeconds: z
        .int()
        .min(0)
        .max(systemLimits.promotionWatchSecondsMax)
        .default(60)
        .describe('How long Surety watches a promotion; 0 turns it off.'),
      passHours: z
        .int()
        .min(1)
        .max(systemLimits.promotionPassHoursMax)
        .default(24)
        .describe('The maximum age of a pass for a promotion.'),
    })
    .prefault({})
    .describe('Conditions for a promotion, and how long it is watched.'),
  lanes: lanesSchema
    .default(lanesSchema.parse({}))
    .describe('How long lanes live, and how many there may be.'),
});

export type ConfigDocument = z.output<typeof configSchema>;
