import { z } from 'zod';
import { portNumber } from './service-schema.ts';

const headers = z
  .record(z.string(), z.string())
  .default({})
  .describe('Sent with every request. Write ${NAME} to take it from the environment.');

const address = z
  .url('use http://host:port')
  .refine((text) => /^https?:/.test(text), 'use http:// or https://');

const prometheus = z.strictObject({
  url: address.describe('Where it is; `/api/v1/query` is added to it.'),
  headers,
  queries: z
    .record(z.string().regex(/^[a-z][a-z0-9-]{0,39}$/), z.string().min(1))
    .default({})
    .describe(
      'Queries by name. `error-rate`, `latency` and `memory` are built in and may be replaced.',
    ),
});

const copies = z.strictObject({
  endpoint: address.describe(
    'Of its OTLP receiver; over HTTP, `/v1/traces` and the like is added.',
  ),
  protocol: z.enum(['http/protobuf', 'grpc']).default('http/protobuf').describe('How it is sent.'),
  headers,
  signals: z
    .array(z.enum(['traces', 'metrics', 'logs']))
    .min(1, 'name at least one')
    .default(['traces', 'metrics', 'logs'])
    .describe('What is sent.'),
  lanesOnly: z.boolean().default(false).describe('Only what belongs to a lane.'),
});

const retention = z.strictObject({
  hours: z
    .number()
    .positive('use a number above 0')
    .default(72)
    .describe('How long what was reported is kept.'),
  megabytes: z
    .int('use a whole number')
    .min(64, 'use 64 or more')
    .default(2_048)
    .describe('How much of the disk it may take; the oldest makes room.'),
});

/** What surety.yaml says under `telemetry`. */
export const telemetrySchema = z.strictObject({
  enabled: z.boolean().default(true).describe('Whether there is any, once services are started.'),
  reports: z
    .boolean()
    .default(true)
    .describe('Whether services with the preload report their requests, calls and output.'),
  port: portNumber
    .optional()
    .describe('Where OTLP over HTTP is taken in, on 127.0.0.1; a free one that stays the same.'),
  grpcPort: portNumber.optional().describe('The same over gRPC.'),
  retention: retention.prefault({}).describe('How much of it is kept, and how long.'),
  prometheus: prometheus.optional().describe('A Prometheus server that is there already.'),
  export: copies
    .optional()
    .describe('Who gets a copy of what comes in, each with its lane as `surety.lane`.'),
});
