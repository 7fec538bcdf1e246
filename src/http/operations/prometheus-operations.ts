import { z } from 'zod';
import { telemetryLimits } from '../../telemetry/limits.ts';
import { type Operation, readers } from './operation.ts';

const when = z.string().min(1).max(telemetryLimits.telemetryParameterCharsMax).optional();

/** A Prometheus server that is there already, asked in its own language. */
export const prometheusOperations = {
  'GET /v1/prometheus/queries': {
    summary: 'The queries that have a name, and the server that is asked.',
    response: z.object({
      url: z.string().nullable().describe('Null: surety.yaml names none.'),
      queries: z.array(z.object({ name: z.string(), query: z.string() })),
    }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/prometheus/query': {
    summary: 'Asks the Prometheus server of surety.yaml.',
    body: z.strictObject({
      query: z
        .string()
        .min(1)
        .max(telemetryLimits.prometheusQueryCharsMax)
        .describe('A name, or PromQL.'),
      since: when.describe('Then it is asked over a range: a duration such as 1h, or a time.'),
      until: when.describe('The same; now if left out.'),
    }),
    response: z.object({
      query: z.string().describe('As it was sent.'),
      name: z.string().nullable(),
      url: z.string(),
      since: z.int().nullable(),
      until: z.int(),
      stepMs: z.int().nullable(),
      resultType: z.string(),
      series: z.array(
        z.object({
          labels: z.record(z.string(), z.string()),
          points: z.array(z.object({ at: z.int(), value: z.string() })),
        }),
      ),
      seriesFound: z.int().describe('Those beyond the limit are not told.'),
      warnings: z.array(z.string()),
    }),
    roles: [...readers, 'agent'],
  },
} as const satisfies Record<string, Operation>;
