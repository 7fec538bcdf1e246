import { showInstant } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import { type Asker, ask, type QuestionAnswer } from '../questions/ask.ts';
import { type TableRow, textIn } from '../questions/table.ts';
import { type WaterfallSpan, waterfall } from './waterfall.ts';

type TraceText = Pick<
  QuestionAnswer,
  'said' | 'query' | 'from' | 'until' | 'searched' | 'elapsedMs' | 'isEmpty' | 'isCut'
>;

export interface Trace extends TraceText {
  readonly traces: readonly string[];
  readonly startedAt: string;
  readonly durationMs: number;
  readonly spans: readonly WaterfallSpan[];
  /** What services logged in it. */
  readonly lines: readonly TableRow[];
}

/** One request through all services, by the id of its trace or by its own. */
export async function traceOf(id: string, asker: Asker): Promise<Trace> {
  const named = /^[0-9a-f]{32}$/i.test(id) ? { trace: id } : { request: id };
  const rowsMax = telemetryLimits.telemetryQuestionRowsMax;
  const {
    rows,
    columns: _,
    question: __,
    asks: ___,
    ...said
  } = await ask('trace', { ...named, rowsMax }, asker);
  const spans = waterfall(rows);
  const traces = [...new Set(rows.map((row) => textIn(row, 'trace_id')))];
  const ends = spans.map(({ offsetMs, durationMs }) => offsetMs + durationMs);
  return {
    ...said,
    traces,
    startedAt: textIn(rows[0], 'time'),
    durationMs: Math.max(0, ...ends),
    spans,
    lines: await linesOf(traces, asker),
  };
}

async function linesOf(traces: readonly string[], asker: Asker): Promise<readonly TableRow[]> {
  const [trace] = traces;
  if (trace === undefined) return [];
  const { rows } = await ask('logs', { trace, since: showInstant(0), rowsMax: 200 }, asker);
  return rows;
}
