import { showInstant } from '../../kernel/index.ts';
import type { TableRow, Trace } from '../api-schema.ts';
import { telemetryLimits } from '../limits.ts';
import { type Asker, ask } from '../questions/ask.ts';
import { textIn } from '../questions/table.ts';
import { waterfall } from './waterfall.ts';

/** One request through all services, by its trace id or its request id. */
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
