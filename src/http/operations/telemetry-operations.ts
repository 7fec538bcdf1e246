import { z } from 'zod';
import { telemetryLimits } from '../../telemetry/limits.ts';
import { type Operation, readers } from './operation.ts';

const text = z.string().min(1).max(telemetryLimits.telemetryParameterCharsMax).optional();

const range = {
  since: text.describe(
    'A duration before now such as 10m, or a time such as 2026-03-01T09:00:00Z.',
  ),
  until: text.describe('The same; now if left out.'),
};

const rowsMax = z.coerce
  .number()
  .int()
  .min(1)
  .max(telemetryLimits.telemetryQuestionRowsMax)
  .optional();

/** Everything that an answer about telemetry says besides its rows. */
const asked = {
  said: z.string().describe('The most important of it in words; where there is nothing, why.'),
  query: z.string().describe('What was asked, exactly; to be asked again as SQL.'),
  from: z.int().describe('0: as far back as anything is kept.'),
  until: z.int(),
  searched: z.string().describe('What was looked through, and from when it is.'),
  elapsedMs: z.number(),
  isEmpty: z.boolean(),
};

const row = z.record(z.string(), z.json());

const table = {
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.array(row).describe('Texts in it were said by services.'),
  isCut: z.boolean().describe('There is more than is told.'),
};

const span = z.object({
  depth: z.int().describe('Below the nearest one before it with a smaller one.'),
  offsetMs: z.number().describe('From the start of the trace.'),
  durationMs: z.number(),
  service: z.string(),
  lane: z.string(),
  kind: z.string().describe('`hop`: nobody reported it but the router.'),
  name: z.string(),
  isError: z.boolean(),
  httpStatus: z.int().nullable(),
  error: z.string(),
  spanId: z.string(),
});

const measured = {
  calls: z.int(),
  perSecond: z.number(),
  errors: z.int(),
  errorPercent: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
};

const shape = z
  .record(z.string(), z.array(z.string()))
  .describe('Types that were seen, by field; empty where bodies were not seen.');

const edge = z.object({
  caller: z.string().describe('`outside`: it is no service that reports.'),
  callee: z.string(),
  lane: z.string(),
  protocols: z.array(z.string()),
  ...measured,
  shapes: z.array(z.object({ call: z.string(), request: shape, response: shape })),
  differences: z
    .array(z.string())
    .describe('Of a lane: what is said otherwise than between the same two in the baseline.'),
});

/** What services, collectors and the router reported, and what can be asked of it. */
export const telemetryOperations = {
  'GET /v1/telemetry/questions': {
    summary: 'The ready-made questions, and what each of them takes.',
    response: z.object({
      questions: z.array(
        z.object({
          question: z.string(),
          asks: z.string(),
          takes: z.array(z.object({ name: z.string(), meaning: z.string() })),
          needs: z.array(z.string()).describe('One of these has to be given.'),
          since: z.string().describe('How far back it looks unless told.'),
        }),
      ),
    }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/telemetry/ask': {
    summary: 'Asks a ready-made question. An agent sees the baseline and its own lanes.',
    body: z.strictObject({
      question: z.string().min(1).max(telemetryLimits.telemetryParameterCharsMax),
      service: text,
      lane: text.describe('A lane, or `baseline` for what belongs to none.'),
      route: text,
      trace: text,
      request: text,
      deployment: text,
      severity: text,
      matching: text,
      metric: text,
      ...range,
      rowsMax,
    }),
    response: z.object({ question: z.string(), asks: z.string(), ...asked, ...table }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/telemetry/query': {
    summary: 'Read-only SQL over the views of telemetry; within limits of time, memory and rows.',
    body: z.strictObject({ sql: z.string().min(1), rowsMax }),
    response: z.object({
      said: asked.said,
      query: asked.query,
      searched: asked.searched,
      elapsedMs: asked.elapsedMs,
      isEmpty: asked.isEmpty,
      ...table,
    }),
    roles: [...readers, 'agent'],
  },
  'GET /v1/telemetry/traces/{trace}': {
    summary: 'One request through all services: by its trace id, or by its request id.',
    path: z.strictObject({
      trace: z.string().min(1).max(telemetryLimits.telemetryParameterCharsMax),
    }),
    response: z.object({
      traces: z.array(z.string()).describe('A request id may belong to several.'),
      startedAt: z.string(),
      durationMs: z.number(),
      spans: z.array(span),
      lines: z.array(row).describe('What services logged in it.'),
      ...asked,
      isCut: z.boolean(),
    }),
    roles: [...readers, 'agent'],
  },
  'GET /v1/telemetry/graph': {
    summary: 'Who calls whom: rates, errors, latencies and wire shapes, by lane.',
    query: z.strictObject({ ...range, lane: text, service: text.describe('Only its own calls.') }),
    response: z.object({
      edges: z.array(edge),
      drawn: z.array(z.string()).describe('The same as a drawing, line by line.'),
      ...asked,
      isCut: z.boolean(),
    }),
    roles: [...readers, 'agent'],
  },
} as const satisfies Record<string, Operation>;
