import type { Benchmark, BenchResult, Say } from '../bench.ts';
import { measureQueries } from './queries.ts';
import { measureStoring } from './storing.ts';

/** One after the other; each part has a file of its own. */
const parts: readonly ((say: Say) => Promise<BenchResult>)[] = [measureStoring, measureQueries];

export const benchmark: Benchmark = {
  title: 'what telemetry costs, and how soon it answers',
  async run(say) {
    const measured: BenchResult[] = [];
    for (const part of parts) measured.push(await part(say));
    return {
      bars: measured.flatMap(({ bars }) => bars),
      rows: measured.flatMap(({ rows }) => rows),
    };
  },
};
