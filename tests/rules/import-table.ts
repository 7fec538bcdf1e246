const features = [
  'confinement',
  'document',
  'ledger',
  'gate',
  'hook',
  'drift',
  'models',
  'system',
  'keeper',
  'kubernetes',
  'router',
  'lanes',
  'telemetry',
  'verify',
  'probes',
  'investigate',
  'preload',
  'verify-grant',
  'queue',
  'suite',
];

/** Which folders of src a folder may import besides itself. A new arrow needs a decision record. */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  // Runs inside other people's services, where nothing of ours is installed.
  preload: [],
  // Imported by other people's services, likewise.
  queue: [],
  // Imported by other people's suites, likewise.
  suite: [],
  // Runs inside other people's executors, likewise.
  'verify-grant': [],

  confinement: ['kernel'],
  document: ['kernel'],
  drift: ['kernel', 'ledger'],
  gate: ['kernel', 'ledger', 'document', 'verify-grant'],
  hook: ['kernel'],
  investigate: ['kernel', 'ledger', 'system', 'lanes', 'telemetry', 'probes', 'verify'],
  keeper: ['kernel'],
  kubernetes: ['kernel'],
  lanes: ['kernel', 'confinement', 'system', 'ledger'],
  ledger: ['kernel'],
  models: ['kernel', 'ledger', 'system'],
  probes: ['kernel'],
  router: ['kernel'],
  system: ['kernel', 'document'],
  telemetry: ['kernel'],
  verify: ['kernel', 'confinement', 'ledger', 'system', 'lanes', 'telemetry', 'probes'],

  http: ['kernel', ...features],
  // A client of the daemon, like the command line: it asks through the same client.
  mcp: ['kernel', 'http'],
  // The entry of the process: it finds the place, reads the configuration and starts the rest.
  cli: ['kernel', ...features, 'http', 'mcp', 'runtime'],

  // The gateway is part of the daemon, by its own door: it gets ports and knows no feature.
  runtime: ['kernel', ...features, 'http', 'mcp'],

  // The package's own surface: what programs import as `surety`.
  'index.ts': ['kernel', 'gate', 'runtime'],
};

/** Whose types a folder may import although it loads nothing of it: what a process is told. */
export const typeArrows: Readonly<Record<string, readonly string[]>> = { lanes: ['router'] };

/** Files besides index.ts by which a folder may be entered, and from which folders. */
export const doors: Readonly<Record<string, readonly string[]>> = {
  // Single files, so that a client of the daemon does not load the gate.
  'gate/attempt.ts': ['runtime'],
  'gate/grants/index.ts': ['runtime'],
  'gate/language/define-policy.ts': ['index.ts'],
  'http/api.ts': ['runtime'],
  'http/contract.ts': ['cli', 'runtime'],
  // Pure, so that ranking files loads no daemon.
  'investigate/rank/index.ts': ['cli'],
  'investigate/report/index.ts': ['cli', 'mcp'],
  'lanes/data/postgres/store.ts': ['runtime'],
  'lanes/data/redis/store.ts': ['runtime'],
  'ledger/postgres/store.ts': ['runtime'],
  'ledger/sqlite/store.ts': ['runtime'],
  // Single files, so that a command that asks one question does not load the daemon.
  'mcp/endpoint.ts': ['runtime'],
  'mcp/gateway/index.ts': ['runtime'],
  'mcp/gateway/clients/bridge.ts': ['cli'],
  'mcp/gateway/names.ts': ['runtime'],
  'runtime/connect.ts': ['cli'],
  'runtime/compose/confinement.ts': ['cli'],
  'runtime/doctor/doctor.ts': ['cli'],
  'runtime/embedded/index.ts': ['index.ts'],
  'runtime/identities.ts': ['cli'],
  'runtime/compose/ledger-reader.ts': ['cli'],
  'runtime/load-config.ts': ['cli'],
  'runtime/tools/mcp-offers.ts': ['cli'],
  'runtime/tools/natives.ts': ['cli'],
  'runtime/compose/open-store.ts': ['cli'],
  'runtime/place.ts': ['cli'],
  'runtime/compose/policy-source.ts': ['cli'],
  'runtime/compose/projections.ts': ['cli'],
  'runtime/compose/signed-history.ts': ['cli'],
  'runtime/compose/workspace-ledger.ts': ['cli'],
  'runtime/witness/index.ts': ['cli'],
  'runtime/state-files.ts': ['cli'],
  'verify/suites/suite-module-path.ts': ['cli'],
  // Pure, so that a client can write a verdict down without loading what reaches one.
  'verify/report/index.ts': ['cli', 'investigate'],
};

/**
 * A feature's part of the API: schemas, and types inferred from them. `http/`, `mcp/` and
 * other such files import its schemas, everybody else only types: whoever runs without the API
 * loads no schema library.
 */
export const apiSchema = 'api-schema.ts';

/** What stands behind a port. Not even the folder with the port knows it; the runtime chooses. */
export const adapters: readonly string[] = [
  'lanes/data/postgres',
  'lanes/data/redis',
  'ledger/postgres',
  'ledger/sqlite',
];

/** Which npm packages are imported where, in a folder and all below it. Nothing else is. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  cli: ['commander'],
  'cli/commands/hook': ['jsonc-parser'],
  'cli/commands/mcp/clients': ['jsonc-parser', 'smol-toml'],
  document: ['yaml', 'zod'],
  'gate/expression': ['@bufbuild/cel', 're2js'],
  'gate/language': ['ajv', 're2js', 'zod'],
  'gate/rehearsal': ['zod'],
  'hook/code': ['acorn'],
  'hook/shell': ['unbash'],
  http: ['hono', 'zod'],
  kubernetes: ['@kubernetes/client-node'],
  'lanes/data/postgres': ['pg'],
  'ledger/postgres': ['pg'],
  mcp: ['@modelcontextprotocol/server', 'zod'],
  'mcp/gateway': ['@modelcontextprotocol/client', '@modelcontextprotocol/server'],
  probes: ['acorn'],
  'probes/placement': ['@jridgewell/trace-mapping'],
  router: ['undici'],
  runtime: ['@hono/node-server', 'hono'],
  'runtime/tools': ['undici'],
  suite: ['pg'],
  system: ['zod'],
  'verify/line-coverage': ['acorn'],
  'verify/suites/reports': ['sax'],
  'telemetry/query': ['@duckdb/node-api'],
  'telemetry/store': ['@duckdb/node-api'],
  'telemetry/otlp': ['@grpc/grpc-js'],
  'telemetry/export': ['@grpc/grpc-js'],
  'telemetry/prometheus': ['@lezer/common', '@prometheus-io/lezer-promql'],
};

/** What tests may import besides. */
export const testPackages: readonly string[] = [
  '@bufbuild/cel-spec',
  '@grpc/grpc-js',
  '@koa/router',
  '@nats-io/jetstream',
  '@opentelemetry/api',
  '@opentelemetry/exporter-logs-otlp-grpc',
  '@opentelemetry/exporter-logs-otlp-http',
  '@opentelemetry/exporter-logs-otlp-proto',
  '@opentelemetry/exporter-metrics-otlp-grpc',
  '@opentelemetry/exporter-metrics-otlp-http',
  '@opentelemetry/exporter-metrics-otlp-proto',
  '@opentelemetry/exporter-trace-otlp-grpc',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/sdk-node',
  'ajv',
  'canonicalize',
  'express',
  'fast-check',
  'fastify',
  'fastq',
  'ioredis',
  'jose',
  'koa',
  'p-limit',
  'p-queue',
  'pg',
  'pino',
  'protobufjs',
  'redis',
  'rolldown',
  'undici',
  'undici-6',
  'undici-8',
  'vitest',
  'winston',
  'ws',
];
