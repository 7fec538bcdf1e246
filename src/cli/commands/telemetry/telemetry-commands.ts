import type { Command } from '../../command.ts';

const since = ['--since <when>', 'a duration before now such as 10m, or a time'] as const;
const service = ['--service <name>', 'only this service'] as const;
const lane = ['--lane <lane>', 'only this lane; baseline for rows without a lane'] as const;
const limit = ['--limit <count>', 'the most rows (default: 50)'] as const;
const until = ['--until <when>', 'the end, in the same form (default: now)'] as const;

export const telemetryCommands: readonly Command[] = [
  {
    name: 'telemetry key',
    summary: 'Show the header by which a collector proves that it may report for services',
    arguments: [['<name>', 'the name of the collector']],
    examples: ['surety telemetry key main'],
    load: async () => (await import('./collector-key.ts')).run,
  },
  {
    name: 'query',
    summary: 'Query requests, errors, latencies, memory, logs and changes, by name or in SQL',
    arguments: [['[question]', 'the name of a query; without it, all are listed']],
    options: [
      ['--sql <text>', 'instead: read-only SQL over the views of docs/telemetry.md'],
      service,
      lane,
      since,
      until,
      ['--route <route>', 'only this route, such as /orders/:id'],
      ['--trace <id>', 'the id of a trace'],
      ['--request <id>', 'the id of a request: x-request-id'],
      ['--deployment <name>', 'since this deployment: a service or a version'],
      ['--severity <name>', 'only lines at least this severe'],
      ['--grep <text>', 'only lines that contain this text'],
      ['--metric <name>', 'the name of a metric, or its beginning'],
      limit,
    ],
    examples: [
      'surety query',
      'surety query error-rate --since 10m',
      'surety query latency --service orders --lane lane_01K9…',
      'surety query new-log-signatures --deployment pricing',
      'surety query --sql "SELECT route, count(*) FROM requests GROUP BY route"',
    ],
    load: async () => (await import('./query.ts')).run,
  },
  {
    name: 'traces',
    summary: 'Show the slowest requests, or one request service by service',
    arguments: [['[id]', 'the id of a trace or of a request (x-request-id)']],
    options: [['--failed', 'only requests in which something failed'], service, lane, since, limit],
    examples: ['surety traces', 'surety traces --failed --since 1h', 'surety traces 4bf92f3577b3…'],
    load: async () => (await import('./traces.ts')).run,
  },
  {
    name: 'metrics',
    summary: 'Show metrics as sparklines, or list them',
    arguments: [['[name]', 'the name of a metric, or its beginning']],
    options: [
      service,
      lane,
      since,
      limit,
      ['-f, --follow', 'refresh until interrupted'],
      [
        '--prometheus',
        'ask the Prometheus server of surety.yaml: by the name of a query, or PromQL',
      ],
    ],
    examples: [
      'surety metrics',
      'surety metrics process.memory --service orders --follow',
      'surety metrics --prometheus error-rate',
      "surety metrics --prometheus 'sum by (service) (up)' --since 1h",
    ],
    load: async () => (await import('./metrics.ts')).run,
  },
  {
    name: 'graph',
    summary: 'Draw which service calls which, how often and how fast, and where lanes differ',
    options: [lane, service, since, ['--shapes', 'also show the fields of requests and answers']],
    examples: ['surety graph', 'surety graph --lane lane_01K9… --shapes', 'surety graph --json'],
    load: async () => (await import('./graph.ts')).run,
  },
];
