import { z } from 'zod';
import {
  graphQuerySchema,
  graphSchema,
  listedQuestionSchema,
  namedAnswerSchema,
  namedQuerySchema,
  sqlAnswerSchema,
  sqlQuerySchema,
  traceIdSchema,
  traceSchema,
} from '../../telemetry/api-schema.ts';
import { type Operation, readers } from './operation.ts';

/** What services, collectors and the router reported, and what can be asked of it. */
export const telemetryOperations = {
  'GET /v1/telemetry/questions': {
    summary: 'The ready-made questions, and what each of them takes.',
    response: z.object({ questions: z.array(listedQuestionSchema) }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/telemetry/ask': {
    summary: 'Asks a ready-made question. An agent sees the baseline and its own lanes.',
    body: namedQuerySchema,
    response: namedAnswerSchema,
    roles: [...readers, 'agent'],
  },
  'POST /v1/telemetry/query': {
    summary: 'Read-only SQL over the views of telemetry; within limits of time, memory and rows.',
    body: sqlQuerySchema,
    response: sqlAnswerSchema,
    roles: [...readers, 'agent'],
  },
  'GET /v1/telemetry/traces/{trace}': {
    summary: 'One request through all services: by its trace id, or by its request id.',
    path: z.strictObject({ trace: traceIdSchema }),
    response: traceSchema,
    roles: [...readers, 'agent'],
  },
  'GET /v1/telemetry/graph': {
    summary: 'Who calls whom: rates, errors, latencies and wire shapes, by lane.',
    query: graphQuerySchema,
    response: graphSchema,
    roles: [...readers, 'agent'],
  },
} as const satisfies Record<string, Operation>;
