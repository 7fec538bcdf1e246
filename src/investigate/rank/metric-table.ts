import { badCase } from './bad-case.ts';
import { csvRows } from './csv-rows.ts';
import { rankLimits } from './limits.ts';
import { type Series, toSeconds } from './series.ts';

/** A table with a column `time`, and one `<service>_<metric>` for each series. */
export async function readMetricTable(file: string): Promise<Series[]> {
  const rows = csvRows(file);
  const header: readonly string[] = (await rows.next()).value ?? [];
  const timeColumn = header.indexOf('time');
  if (timeColumn < 0) throw badCase(file, 'it has no column `time`');
  if (header.length > rankLimits.rankSeriesMax) {
    throw badCase(file, `it has ${header.length} columns; ${rankLimits.rankSeriesMax} are allowed`);
  }
  const columns = header.map(seriesOf);
  for await (const row of rows) {
    const time = toSeconds(Number(row[timeColumn] || Number.NaN));
    if (!Number.isFinite(time)) continue;
    for (const [index, text] of row.entries()) addPoint(columns[index], time, text);
  }
  return columns.filter((series) => series !== null).filter(({ values }) => values.length > 0);
}

interface GrowingSeries extends Series {
  readonly times: number[];
  readonly values: number[];
}

/** Names of services have no underscore in this layout; those of metrics may. */
function seriesOf(column: string): GrowingSeries | null {
  const [, service, metric] = /^([^_]+)_(.+)$/s.exec(column) ?? [];
  return service && metric ? { service, metric, times: [], values: [] } : null;
}

/** What is missing or no number is left out, as is what goes back in time. */
function addPoint(series: GrowingSeries | null | undefined, time: number, text: string): void {
  const value = Number(text);
  if (!series || text.trim() === '' || !Number.isFinite(value)) return;
  if (time < (series.times.at(-1) ?? time)) return;
  series.times.push(time);
  series.values.push(value);
}
