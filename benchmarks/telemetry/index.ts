import type { Benchmark, BenchResult, Say } from '../bench.ts';
import { measureIngest } from './ingest.ts';
import { measureReports } from './preload.ts';
import { measureQueries } from './queries.ts';
import { measureStoring } from './storing.ts';

/**
 * One after the other; `npm run bench -- telemetry preload` runs one of them. Queries first: they
 * are bounded by the memory of their process, in which the others leave something behind.
 */
const parts: Readonly<Record<string, (say: Say) => Promise<BenchResult>>> = {
  queries: measureQueries,
  ingest: measureIngest,
  storing: measureStoring,
  preload: measureReports,
};

export const benchmark: Benchmark = {
  title: 'cost of telemetry, and query times',
  async run(say) {
    const [, only] = process.argv.slice(2);
    const measured: BenchResult[] = [];
    for (const [name, measure] of Object.entries(parts)) {
      if (only === undefined || only === name) measured.push(await measure(say));
    }
    return {
      bars: measured.flatMap(({ bars }) => bars),
      rows: measured.flatMap(({ rows }) => rows),
    };
  },
};
