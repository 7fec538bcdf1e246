import { type Json, redactText } from '../../kernel/index.ts';
import type { SqlQueryAnswer, TableRow } from '../api-schema.ts';
import { telemetryLimits } from '../limits.ts';
import type { ResultTable } from './table.ts';

type BoundedRows = Pick<SqlQueryAnswer, 'rows' | 'isCut'>;

/** Limits an answer: long texts are cut, then rows are dropped from the end. */
export function boundRows(
  { rows, isCut }: Pick<ResultTable, 'rows' | 'isCut'>,
  rowsMax: number,
): BoundedRows {
  const kept: TableRow[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, rowsMax)) {
    const short = shortRow(row);
    bytes += Buffer.byteLength(JSON.stringify(short));
    if (bytes > telemetryLimits.telemetryQuestionBytesMax) return { rows: kept, isCut: true };
    kept.push(short);
  }
  return { rows: kept, isCut: isCut || rows.length >= rowsMax };
}

function shortRow(row: TableRow): TableRow {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, short(value)]));
}

function short(value: Json): Json {
  if (typeof value === 'string') return cut(value);
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  const kept = cut(text);
  return kept === text ? value : kept;
}

/** Also removes secrets that became known only after the text was stored. */
function cut(whole: string): string {
  const most = telemetryLimits.telemetryQuestionTextCharsMax;
  const text = redactText(whole);
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}
