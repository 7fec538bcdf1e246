import type { TableRow, WaterfallSpan } from '../api-schema.ts';
import { numberIn, textIn } from '../questions/table.ts';

/**
 * Processes on one machine have the same clock, but a hop of the router may begin slightly earlier.
 */
const toleranceMs = 5;

/** The rows of the question `trace` as a tree, each below its parent, in order of time. */
export function waterfall(rows: readonly TableRow[]): WaterfallSpan[] {
  const spans = rows.filter((row) => row.kind !== 'hop');
  const unseen = rows.filter((row) => row.kind === 'hop' && !wasReported(row, spans));
  const all = [...spans, ...unseen].sort(byOffset);
  const children = Map.groupBy(all, (row) => parentOf(row, spans));
  const drawn = new Set<TableRow>();
  const lines: WaterfallSpan[] = [];
  const draw = (row: TableRow, depth: number): void => {
    // Reporters choose the ids: two spans may each claim to be the other's child.
    if (drawn.has(row)) return;
    drawn.add(row);
    lines.push(lineOf(row, depth));
    for (const child of children.get(row) ?? []) draw(child, depth + 1);
  };
  for (const root of children.get(undefined) ?? []) draw(root, 0);
  for (const row of all) draw(row, 0);
  return lines;
}

const byOffset = (one: TableRow, other: TableRow): number =>
  numberIn(one, 'offset_ms') - numberIn(other, 'offset_ms');

function parentOf(row: TableRow, spans: readonly TableRow[]): TableRow | undefined {
  if (row.kind === 'hop') return callerOf(row, spans);
  const parent = textIn(row, 'parent_span_id');
  if (parent === '') return undefined;
  return spans.find((span) => span.span_id === parent && span.trace_id === row.trace_id);
}

/**
 * The caller's span of a hop: the last one that had begun by then, preferably one not yet ended.
 */
function callerOf(hop: TableRow, spans: readonly TableRow[]): TableRow | undefined {
  const begun = spans
    .filter((span) => span.service === hop.caller && beginsWithin(hop, span, Infinity))
    .sort(byOffset);
  return begun.findLast((span) => beginsWithin(hop, span)) ?? begun.at(-1);
}

/** Whether the callee reports the call itself. */
function wasReported(hop: TableRow, spans: readonly TableRow[]): boolean {
  return spans.some(
    (span) => span.kind === 'server' && span.service === hop.service && beginsWithin(span, hop),
  );
}

function beginsWithin(
  inner: TableRow,
  outer: TableRow,
  durationMs = numberIn(outer, 'duration_ms'),
): boolean {
  const after = numberIn(inner, 'offset_ms') - numberIn(outer, 'offset_ms');
  return after >= -toleranceMs && after <= durationMs + toleranceMs;
}

function lineOf(row: TableRow, depth: number): WaterfallSpan {
  const httpStatus = row.http_status == null ? null : numberIn(row, 'http_status');
  return {
    depth,
    offsetMs: numberIn(row, 'offset_ms'),
    durationMs: numberIn(row, 'duration_ms'),
    service: textIn(row, 'service'),
    lane: textIn(row, 'lane'),
    kind: textIn(row, 'kind'),
    name: nameOf(row),
    isError: failed(row, httpStatus),
    httpStatus,
    error: textIn(row, 'error_signature') || textIn(row, 'status_message'),
    spanId: textIn(row, 'span_id'),
  };
}

/** `GET` alone is ambiguous: the kind of a database or broker is shown as well. */
function nameOf(row: TableRow): string {
  const [kind, address] = textIn(row, 'peer').split('://');
  return address === undefined ? textIn(row, 'name') : `${kind} ${textIn(row, 'name')}`;
}

/** As in questions, a refusal counts as an answer, not as a failure. */
function failed(row: TableRow, httpStatus: number | null): boolean {
  if ((httpStatus ?? 0) >= 500) return true;
  return row.status === 'error' && (httpStatus === null || row.kind !== 'client');
}
