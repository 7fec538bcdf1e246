import { z } from 'zod';
import { prometheusAnswerSchema, prometheusQuerySchema } from '../../telemetry/api-schema.ts';
import { type Operation, readers } from './operation.ts';

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
    body: prometheusQuerySchema,
    response: prometheusAnswerSchema,
    roles: [...readers, 'agent'],
  },
} as const satisfies Record<string, Operation>;
