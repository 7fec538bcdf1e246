import { z } from 'zod';
import { portNumber } from './service-schema.ts';

const headers = z
  .record(z.string(), z.string())
  .default({})
  .describe('Headers of every request. ${NAME} comes from the environment.');

const address = z
  .url('use http://host:port')
  .refine((text) => /^https?:/.test(text), 'use http:// or https://');

const prometheus = z.strictObject({
  url: address.describe('Its address; Surety appends `/api/v1/query`.'),
  headers,
  queries: z
    .record(z.string().regex(/^[a-z][a-z0-9-]{0,39}$/), z.string().min(1))
    .default({})
    .describe(
      'Queries by name. `error-rate`, `latency` and `memory` are built in; you may replace them.',
    ),
});

const copies = z.strictObject({
  endpoint: address.describe(
    'The address of the OTLP receiver; over HTTP, Surety appends `/v1/traces` etc.',
  ),
  protocol: z.enum(['http/protobuf', 'grpc']).default('http/protobuf').describe('The protocol.'),
  headers,
  signals: z
    .array(z.enum(['traces', 'metrics', 'logs']))
    .min(1, 'name at least one')
    .default(['traces', 'metrics', 'logs'])
    .describe('The signals to send.'),
  lanesOnly: z.boolean().default(false).describe('If true, send only what belongs to a lane.'),
});

const retention = z.strictObject({
  hours: z
    .number()
    .positive('use a number above 0')
    .default(72)
    .describe('How long telemetry is kept.'),
  megabytes: z
    .int('use a whole number')
    .min(64, 'use 64 or more')
    .default(2_048)
    .describe('How much disk telemetry may use; the oldest is deleted first.'),
});

/** What surety.yaml says under `telemetry`. */
export const telemetrySchema = z.strictObject({
  enabled: z.boolean().default(true).describe('If true, telemetry starts with the services.'),
  reports: z
    .boolean()
    .default(true)
    .describe('If true, services with the preload report their requests, calls and output.'),
  port: portNumber
    .optional()
    .describe(
      'The port for OTLP over HTTP on 127.0.0.1. Default: a free port that stays the same.',
    ),
  grpcPort: portNumber.optional().describe('The same over gRPC.'),
  retention: retention.prefault({}).describe('How much telemetry is kept, and how long.'),
  prometheus: prometheus.optional().describe('A Prometheus server that you already have.'),
  export: copies
    .optional()
    .describe('A receiver for copies of all telemetry, each with its lane as `surety.lane`.'),
});
