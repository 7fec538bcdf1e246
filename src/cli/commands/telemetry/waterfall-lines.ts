import { visible } from '../../format/visible.ts';

interface Span {
  readonly depth: number;
  readonly offsetMs: number;
  readonly durationMs: number;
  readonly service: string;
  readonly kind: string;
  readonly name: string;
  readonly isError: boolean;
  readonly httpStatus: number | null;
  readonly error: string;
}

export interface WaterfallLine {
  readonly text: string;
  readonly isError: boolean;
}

const nameColumnsMax = 56;
const barColumnsMin = 16;

/** One line for each span: its service and name, and a bar from its start to its end. */
export function waterfallLines(
  spans: readonly Span[],
  totalMs: number,
  columns: number,
): WaterfallLine[] {
  const names = spans.map(nameOf);
  const width = Math.min(nameColumnsMax, Math.max(...names.map((name) => name.length)));
  const barColumns = Math.max(barColumnsMin, columns - width - 24);
  return spans.map((span, at) => {
    const name = cut(names[at] ?? '', width).padEnd(width);
    const took = `${milliseconds(span.durationMs)} ms`.padStart(12);
    const bar = barOf(span, totalMs, barColumns);
    const failed = span.error === '' ? '' : `  ${visible(span.error).slice(0, 60)}`;
    return { text: `${name}  ${took}  ${bar}${failed}`, isError: span.isError };
  });
}

function nameOf({ depth, service, name, kind, httpStatus }: Span): string {
  const status = httpStatus === null ? '' : ` ${httpStatus}`;
  const how = kind === 'server' || kind === 'internal' ? '' : ` (${kind})`;
  return visible(`${'  '.repeat(Math.min(depth, 12))}${service} ${name}${status}${how}`);
}

function barOf({ offsetMs, durationMs }: Span, totalMs: number, columns: number): string {
  const scale = columns / Math.max(totalMs, 0.001);
  const start = Math.min(columns - 1, Math.floor(offsetMs * scale));
  const length = Math.max(1, Math.min(columns - start, Math.round(durationMs * scale)));
  return `${' '.repeat(start)}${'█'.repeat(length)}`.padEnd(columns);
}

export function milliseconds(ms: number): string {
  return ms >= 100 ? String(Math.round(ms)) : ms.toFixed(2);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
