import { logText } from '../commands/run/log-text.ts';
import { visible } from './visible.ts';
import { terminalColumns } from './wrap.ts';

type Cells = Readonly<Record<string, unknown>>;

/** The least that a column is narrowed to. */
const cellCharsMin = 8;
const gap = 2;

/**
 * A table for a terminal of 80 columns: numbers to the right, and no characters that move the
 * cursor. Texts are cut where they do not fit; --json has them whole.
 */
export function tableLines(columns: readonly string[], rows: readonly Cells[]): string[] {
  const texts = rows.map((row) => columns.map((column) => textOf(column, row[column])));
  const isNumber = columns.map((column) => rows.some((row) => typeof row[column] === 'number'));
  const widths = fittingWidths(
    columns.map((column, at) =>
      Math.max(column.length, ...texts.map((cells) => cells[at]?.length ?? 0)),
    ),
    isNumber,
  );
  return [columns, ...texts].map((cells) =>
    cells
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        const short = cut(cell, width);
        return isNumber[at] ? short.padStart(width) : short.padEnd(width);
      })
      .join(' '.repeat(gap))
      .trimEnd(),
  );
}

/** The widest texts give way first; numbers are never cut. */
function fittingWidths(wanted: readonly number[], isNumber: readonly boolean[]): number[] {
  const widths = [...wanted];
  const total = (): number => widths.reduce((sum, width) => sum + width + gap, -gap);
  while (total() > terminalColumns) {
    const texts = widths.map((width, at) => (isNumber[at] ? 0 : width));
    const widest = Math.max(...texts);
    if (widest <= cellCharsMin) break;
    const at = texts.indexOf(widest);
    widths[at] = Math.max(cellCharsMin, widest - 1);
  }
  return widths;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** This column contains the text of a service's log line. */
function textOf(column: string, value: unknown): string {
  return column === 'text' && typeof value === 'string' ? logText(value) : cellText(value);
}

/** Microseconds are left out for readers. */
const time = /^\d{4}-(\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/;

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(rounded(value));
  if (typeof value === 'object') return visible(JSON.stringify(value));
  return visible(String(value).replace(time, '$1 $2'));
}

/** With as many digits as anybody reads, also for tiny numbers. */
const rounded = (value: number): number =>
  Number(Math.abs(value) < 0.001 ? value.toPrecision(4) : value.toFixed(6));
