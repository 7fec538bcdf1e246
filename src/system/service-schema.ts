import { z } from 'zod';
import { limits } from '../kernel/index.ts';

export const serviceName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'use 1 to 40 lower-case letters, digits and dashes')
  .refine((name) => name !== 'localhost', 'this name means every service of the machine');

export const portNumber = z
  .int('use a whole number')
  .min(1, 'use 1 to 65535')
  .max(65_535, 'use 1 to 65535');

const variables = z.record(z.string(), z.string());

export const secretReference = z
  .string()
  .regex(
    /^(?:env:[A-Za-z_]\w*|file:.+|command:.+)$/,
    'use env:NAME, file:path or command:how to read it',
  );

const secrets = z
  .record(z.string(), secretReference)
  .describe(
    'Variables whose values are read when it starts, and shown to nobody: `env:NAME`, `file:path` or `command:…`.',
  );

const serviceLimits = z.strictObject({
  memoryMb: z
    .int('use a whole number')
    .min(limits.serviceMemoryMbMin, `use ${limits.serviceMemoryMbMin} or more`)
    .optional()
    .describe('All of its processes together; over it, it is ended and started again.'),
  cpu: z
    .number()
    .min(limits.serviceCpuMin, `use ${limits.serviceCpuMin} or more`)
    .optional()
    .describe('CPUs that it may use; it is slowed down, not ended.'),
  processes: z
    .int('use a whole number')
    .min(1, 'use 1 or more')
    .optional()
    .describe('Processes and threads at once where the machine has cgroups, else processes.'),
});

const address = z
  .string()
  .regex(/^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/, 'use host:port')
  .refine(
    (text) => isPort(Number(text.slice(text.lastIndexOf(':') + 1))),
    'its port is from 1 to 65535',
  );

const alias = z
  .string()
  .regex(/^[A-Za-z0-9._-]+(?::(?:\d{1,5}|\*))?$/, 'use host or host:port')
  .refine((text) => isPort(Number(/:(\d+)$/.exec(text)?.[1] ?? 1)), 'its port is from 1 to 65535');

const metrics = z.strictObject({
  path: z
    .string()
    .startsWith('/', 'use a path such as /metrics')
    .default('/metrics')
    .describe('Where they are.'),
  port: portNumber.optional().describe('Its port, if it is another than that of the service.'),
  everyMs: z
    .int('use a whole number')
    .min(limits.scrapeEveryMsMin, `use ${limits.scrapeEveryMsMin} or more`)
    .default(15_000)
    .describe('How often they are read.'),
});

/** What the candidate of a service gets besides: it must not do the baseline's work. */
const laneOfService = z.strictObject({
  command: z
    .string()
    .min(1)
    .optional()
    .describe('How a candidate is started, for a service that itself runs elsewhere.'),
  environment: variables.default({}).describe('Variables that only its candidates get.'),
  singletons: z
    .enum(['on', 'off'])
    .default('off')
    .describe('`off`: a candidate is told by SURETY_SINGLETONS=off to run no cron or consumer.'),
});

/** What an overlay may say of a service, too. */
const changeable = {
  command: z
    .string()
    .min(1, 'say how to start it')
    .optional()
    .describe('How to start it, as in a shell.'),
  environment: variables.optional().describe('Variables that it gets.'),
  secrets: secrets.optional(),
  limits: serviceLimits.optional(),
};

export const service = z
  .strictObject({
    ...changeable,
    environment: variables.default({}).describe('Variables that it gets.'),
    secrets: secrets.default({}),
    limits: serviceLimits.default({}),
    address: address
      .optional()
      .describe(
        '`host:port` of a service that runs already; nothing of it is started but candidates.',
      ),
    install: z
      .string()
      .min(1)
      .optional()
      .describe('Installs its packages; run again only when a manifest or lock file changed.'),
    build: z
      .string()
      .min(1)
      .optional()
      .describe('Builds it before it starts; run again only when its files changed.'),
    directory: z.string().default('.').describe('Where it is started, relative to this file.'),
    port: portNumber.optional().describe('The port it listens on; it is told so by PORT.'),
    protocol: z
      .enum(['http', 'https', 'h2c', 'grpc', 'tcp'])
      .default('http')
      .describe('What it speaks.'),
    health: z
      .string()
      .startsWith('/', 'use a path such as /healthz')
      .optional()
      .describe('A path that answers 200 when it is ready; else its port is enough.'),
    startSeconds: z
      .int('use a whole number')
      .min(1, 'use 1 or more')
      .max(limits.serviceStartSecondsMax, `use at most ${limits.serviceStartSecondsMax}`)
      .default(30)
      .describe('How long it may take until it is healthy.'),
    aliases: z
      .array(alias)
      .default([])
      .describe('Hosts, or `host:port`, that programs have built in for it. Its name is one.'),
    tagging: z
      .enum(['preload', 'baggage', 'none'])
      .default('preload')
      .describe(
        '`preload`: a Node program. `baggage`: any language that hands on OpenTelemetry baggage; ' +
          'addresses of other services in its environment become doors of the router.',
      ),
    paths: z
      .array(z.string())
      .default([])
      .describe(
        'Files and folders that belong to it: a change of one of them changes this service.',
      ),
    dependsOn: z.array(serviceName).default([]).describe('Services that are started before it.'),
    stores: z.array(serviceName).default([]).describe('Datastores that it uses.'),
    metrics: metrics
      .optional()
      .describe('Metrics that it tells in the text format of Prometheus; telemetry reads them.'),
    queues: z
      .array(serviceName)
      .default([])
      .describe('Queues that it uses: their variables tell it where they are.'),
    lane: laneOfService.default({ environment: {}, singletons: 'off' }),
  })
  .refine(({ command, address }) => (command === undefined) !== (address === undefined), {
    message: 'say either command or address',
  })
  .refine(({ address, port }) => address !== undefined || port !== undefined, {
    message: 'say its port',
    path: ['port'],
  })
  .refine(({ address, port }) => address === undefined || port === undefined, {
    message: 'the port is part of the address',
    path: ['port'],
  });

export const overlay = z.strictObject({
  services: z
    .record(serviceName, z.strictObject(changeable))
    .default({})
    .describe('What is different of which service. Variables are added to those it has.'),
});

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
}
