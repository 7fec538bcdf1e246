import { z } from 'zod';
import type { Immutable } from '../kernel/index.ts';
import { telemetryLimits } from './limits.ts';

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

export const namedQuerySchema = z.strictObject({
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
});

/** A question as its author wrote it. */
export type AskedText = Omit<Immutable<z.infer<typeof namedQuerySchema>>, 'question'>;

export const sqlQuerySchema = z.strictObject({ sql: z.string().min(1), rowsMax });

export const graphQuerySchema = z.strictObject({
  ...range,
  lane: text,
  service: text.describe('Only its own calls.'),
});

export const traceIdSchema = z.string().min(1).max(telemetryLimits.telemetryParameterCharsMax);

const column = z.object({
  name: z.string(),
  /** The name of the type in DuckDB. */
  type: z.string(),
});

export type AnswerColumn = Immutable<z.infer<typeof column>>;

const row = z.record(z.string(), z.json());

export type TableRow = Immutable<z.infer<typeof row>>;

export const sqlAnswerSchema = z.object({
  said: z.string().describe('The most important of it in words; where there is nothing, why.'),
  query: z.string().describe('What was asked, exactly; to be asked again as SQL.'),
  searched: z.string().describe('What was looked through, and from when it is.'),
  elapsedMs: z.number(),
  isEmpty: z.boolean(),
  columns: z.array(column),
  rows: z.array(row).describe('Texts in it were said by services.'),
  isCut: z.boolean().describe('There is more than is told.'),
});

export type SqlQueryAnswer = Immutable<z.infer<typeof sqlAnswerSchema>>;

/** Everything in an answer except its rows. */
const asked = {
  said: sqlAnswerSchema.shape.said,
  query: sqlAnswerSchema.shape.query,
  from: z.int().describe('0: as far back as anything is kept.'),
  until: z.int(),
  searched: sqlAnswerSchema.shape.searched,
  elapsedMs: z.number(),
  isEmpty: z.boolean(),
};

export const namedAnswerSchema = z.object({
  question: z.string(),
  asks: z.string(),
  ...asked,
  columns: sqlAnswerSchema.shape.columns,
  rows: sqlAnswerSchema.shape.rows,
  isCut: sqlAnswerSchema.shape.isCut,
});

/** An answer together with its question. */
export type QuestionAnswer = Immutable<z.infer<typeof namedAnswerSchema>>;

export const listedQuestionSchema = z.object({
  question: z.string(),
  asks: z.string(),
  takes: z.array(z.object({ name: z.string(), meaning: z.string() })),
  needs: z.array(z.string()).describe('One of these has to be given.'),
  since: z.string().describe('How far back it looks unless told.'),
});

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

/** One step of a request, below the step that caused it. */
export type WaterfallSpan = Immutable<z.infer<typeof span>>;

export const traceSchema = z.object({
  traces: z.array(z.string()).describe('A request id may belong to several.'),
  startedAt: z.string(),
  durationMs: z.number(),
  spans: z.array(span),
  lines: z.array(row).describe('What services logged in it.'),
  ...asked,
  isCut: z.boolean(),
});

export type Trace = Immutable<z.infer<typeof traceSchema>>;

const shape = z
  .record(z.string(), z.array(z.string()))
  .describe('Types that were seen, by field; empty where bodies were not seen.');

/** Observed types by field: `items[].price` → number. */
export type FieldTypes = Immutable<z.infer<typeof shape>>;

/** Method and path, without ids, and the shapes of request and response. */
const callShape = z.object({ call: z.string(), request: shape, response: shape });

/** The shapes of the bodies in one call of a hop. */
export type CallShape = Immutable<z.infer<typeof callShape>>;

const edge = z.object({
  caller: z.string().describe('`outside`: it is no service that reports.'),
  callee: z.string(),
  lane: z.string(),
  protocols: z.array(z.string()),
  calls: z.int(),
  perSecond: z.number(),
  errors: z.int(),
  errorPercent: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  shapes: z.array(callShape),
  differences: z
    .array(z.string())
    .describe('Of a lane: what is said otherwise than between the same two in the baseline.'),
});

/** The calls of one service to another, in the baseline or in one lane, with their shapes. */
export type GraphEdge = Immutable<z.infer<typeof edge>>;

export const graphSchema = z.object({
  edges: z.array(edge),
  drawn: z.array(z.string()).describe('The same as a drawing, line by line.'),
  ...asked,
  isCut: z.boolean(),
});

export type ServiceGraph = Omit<Immutable<z.infer<typeof graphSchema>>, 'drawn'>;

const when = z.string().min(1).max(telemetryLimits.telemetryParameterCharsMax).optional();

export const prometheusQuerySchema = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(telemetryLimits.prometheusQueryCharsMax)
    .describe('A name, or PromQL.'),
  since: when.describe('Then it is asked over a range: a duration such as 1h, or a time.'),
  until: when.describe('The same; now if left out.'),
});

const series = z.object({
  labels: z.record(z.string(), z.string()),
  /** Oldest first; values are texts, since they may be NaN or +Inf. */
  points: z.array(z.object({ at: z.int(), value: z.string() })),
});

export type RemoteSeries = Immutable<z.infer<typeof series>>;

export const prometheusAnswerSchema = z.object({
  query: z.string().describe('As it was sent.'),
  name: z.string().nullable(),
  url: z.string(),
  since: z.int().nullable(),
  until: z.int(),
  stepMs: z.int().nullable(),
  resultType: z.string(),
  series: z.array(series),
  seriesFound: z.int().describe('Those beyond the limit are not told.'),
  warnings: z.array(z.string()),
});

/** With everything that is needed to ask again in another way. */
export type RemoteAnswer = Immutable<z.infer<typeof prometheusAnswerSchema>>;
