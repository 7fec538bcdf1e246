import type { Command } from '../../command.ts';

const group = 'Ask what services report';

const since = ['--since <when>', 'a duration before now such as 10m, or a time'] as const;
const service = ['--service <name>', 'only this service'] as const;
const lane = ['--lane <lane>', 'only this lane; baseline for what belongs to none'] as const;
const limit = ['--limit <count>', 'how many rows at most (50)'] as const;
const until = ['--until <when>', 'the same (now)'] as const;

export const telemetryCommands: readonly Command[] = [
  {
    name: 'query',
    group,
    summary: 'Ask about requests, errors, latencies, memory, logs and changes; or in SQL',
    arguments: [['[question]', 'which one; all are listed if left out']],
    options: [
      ['--sql <text>', 'read-only SQL over the views of docs/telemetry.md instead'],
      service,
      lane,
      since,
      until,
      ['--route <route>', 'only this route, as in /orders/:id'],
      ['--trace <id>', 'the id of a trace'],
      ['--request <id>', 'the id of a request: x-request-id'],
      ['--deployment <name>', 'since this was deployed: a service, or a version'],
      ['--severity <name>', 'only lines at least this severe'],
      ['--grep <text>', 'only lines with this text in them'],
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
    load: () => import('./query.ts'),
  },
  {
    name: 'traces',
    group,
    summary: 'Show the slowest requests, or one of them service by service',
    arguments: [['[id]', 'of a trace, or of a request (x-request-id)']],
    options: [['--failed', 'only those in which something failed'], service, lane, since, limit],
    examples: ['surety traces', 'surety traces --failed --since 1h', 'surety traces 4bf92f3577b3…'],
    load: () => import('./traces.ts'),
  },
  {
    name: 'metrics',
    group,
    summary: 'Show how metrics went, as lines of small bars; or which there are',
    arguments: [['[name]', 'of a metric, or its beginning']],
    options: [
      service,
      lane,
      since,
      limit,
      ['-f, --follow', 'show it anew until interrupted'],
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
    load: () => import('./metrics.ts'),
  },
  {
    name: 'graph',
    group,
    summary: 'Draw who calls whom, how often, how fast, and what lanes say otherwise',
    options: [lane, service, since, ['--shapes', 'what is said on the wire, field by field']],
    examples: ['surety graph', 'surety graph --lane lane_01K9… --shapes', 'surety graph --json'],
    load: () => import('./graph.ts'),
  },
];
