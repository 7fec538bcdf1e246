import { logText } from '../commands/run/log-text.ts';
import { visible } from './visible.ts';

type Cells = Readonly<Record<string, unknown>>;

/** Longer texts are cut, so that the columns stay aligned. */
const cellCharsMax = 60;
const lastCellCharsMax = 160;

/** A table for a terminal: numbers to the right, and no characters that move the cursor. */
export function tableLines(columns: readonly string[], rows: readonly Cells[]): string[] {
  const texts = rows.map((row) => columns.map((column) => textOf(column, row[column])));
  const isNumber = columns.map((column) => rows.some((row) => typeof row[column] === 'number'));
  const widths = columns.map((column, at) =>
    Math.max(
      column.length,
      ...texts.map((cells) => Math.min(lengthOf(cells[at]), mostOf(at, columns))),
    ),
  );
  return [columns, ...texts].map((cells) =>
    cells
      .map((cell, at) => {
        const short = cut(cell, mostOf(at, columns));
        return isNumber[at] ? short.padStart(widths[at] ?? 0) : short.padEnd(widths[at] ?? 0);
      })
      .join('  ')
      .trimEnd(),
  );
}

const lengthOf = (text: string | undefined): number => text?.length ?? 0;
const mostOf = (at: number, { length }: readonly string[]): number =>
  at === length - 1 ? lastCellCharsMax : cellCharsMax;

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
