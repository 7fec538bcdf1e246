import { z } from 'zod';
import { sharedLimits } from '../kernel/index.ts';
import { podSchema } from './kubernetes-schema.ts';
import { systemLimits } from './limits.ts';

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
    'Variables whose values are read when it starts and never shown: `env:NAME`, `file:path` or `command:…`.',
  );

/** How lanes treat the unchanged services between the ingress and a changed one. */
export const callerMode: z.ZodEnum<{ shared: 'shared'; own: 'own'; auto: 'auto' }> = z.enum([
  'shared',
  'own',
  'auto',
]);

const serviceLimits = z.strictObject({
  memoryMb: z
    .int('use a whole number')
    .min(systemLimits.serviceMemoryMbMin, `use ${systemLimits.serviceMemoryMbMin} or more`)
    .optional()
    .describe(
      'Memory of all its processes together. Above it, the service is ended and restarted.',
    ),
  cpu: z
    .number()
    .min(systemLimits.serviceCpuMin, `use ${systemLimits.serviceCpuMin} or more`)
    .optional()
    .describe('CPUs that it may use. Above it, the service is slowed down, not ended.'),
  processes: z
    .int('use a whole number')
    .min(1, 'use 1 or more')
    .optional()
    .describe('Processes and threads at the same time with cgroups; without them, processes.'),
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
    .describe('The path of the metrics.'),
  port: portNumber
    .optional()
    .describe('The port of the metrics, if it differs from that of the service.'),
  everyMs: z
    .int('use a whole number')
    .min(sharedLimits.scrapeEveryMsMin, `use ${sharedLimits.scrapeEveryMsMin} or more`)
    .default(15_000)
    .describe('How often to scrape.'),
});

/** What the candidate of a service gets besides: it must not do the baseline's work. */
const laneOfService = z.strictObject({
  command: z
    .string()
    .min(1)
    .optional()
    .describe('How a candidate is started, for a service that itself runs elsewhere.'),
  kubernetes: podSchema
    .optional()
    .describe('How a candidate runs in a cluster, in place of `command`. docs/kubernetes.md'),
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
    .describe('The shell command that starts it.'),
  environment: variables.optional().describe('Its environment variables.'),
  secrets: secrets.optional(),
  limits: serviceLimits.optional(),
};

export const service = z
  .strictObject({
    ...changeable,
    environment: variables.default({}).describe('Its environment variables.'),
    secrets: secrets.default({}),
    limits: serviceLimits.default({}),
    address: address
      .optional()
      .describe('`host:port` of a service that runs elsewhere; Surety starts only its candidates.'),
    install: z
      .string()
      .min(1)
      .optional()
      .describe('Installs its packages; runs again only when a manifest or lock file changed.'),
    build: z
      .string()
      .min(1)
      .optional()
      .describe('Builds it before it starts; runs again only when its files changed.'),
    directory: z.string().default('.').describe('The working directory, relative to this file.'),
    port: portNumber.optional().describe('The port it listens on, also given to it as PORT.'),
    builtInPort: portNumber
      .optional()
      .describe(
        'The port that is built into a Node or Python program that does not read PORT; it listens on ' +
          '`port` instead, and in a lane on the port of the lane.',
      ),
    protocol: z
      .enum(['http', 'https', 'h2c', 'grpc', 'tcp'])
      .default('http')
      .describe('Its protocol.'),
    health: z
      .string()
      .startsWith('/', 'use a path such as /healthz')
      .optional()
      .describe('A path that answers 200 when it is ready. Default: its port accepts connections.'),
    startSeconds: z
      .int('use a whole number')
      .min(1, 'use 1 or more')
      .max(
        systemLimits.serviceStartSecondsMax,
        `use at most ${systemLimits.serviceStartSecondsMax}`,
      )
      .default(30)
      .describe('How long it may take to become healthy.'),
    aliases: z
      .array(alias)
      .default([])
      .describe('Hosts, or `host:port`, under which programs call it. Its name is one of them.'),
    tagging: z
      .enum(['preload', 'baggage', 'none'])
      .default('preload')
      .describe(
        '`preload`: a Node program. `baggage`: any program that propagates OpenTelemetry baggage; ' +
          'addresses of other services in its environment become ports of the router.',
      ),
    paths: z
      .array(z.string())
      .default([])
      .describe(
        'Files and folders of the service: a change to one of them changes this service. What they ' +
          'import or name counts by itself. Default: its directory, unless that is the top.',
      ),
    owner: z
      .string()
      .regex(/^\S{1,100}$/, 'use one name of up to 100 characters, such as @trading/pricing')
      .optional()
      .describe('Who is responsible for its incidents; without it, the first owner by CODEOWNERS.'),
    dependsOn: z.array(serviceName).default([]).describe('Services that start before it.'),
    stores: z.array(serviceName).default([]).describe('Datastores that it uses.'),
    metrics: metrics
      .optional()
      .describe('Metrics that it offers in the Prometheus text format; telemetry scrapes them.'),
    callers: callerMode
      .optional()
      .describe(
        'How lanes treat it where it stands between the ingress and a changed service. With `own`, a ' +
          'program without the preload has the direct addresses of the services that it calls.',
      ),
    queues: z
      .array(serviceName)
      .default([])
      .describe('Queues that it uses; it gets their addresses in the variables of the queues.'),
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
    .describe('What differs, by service. Variables are added to those it has.'),
});

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
}
