import type { Benchmark, BenchResult, Say } from '../bench.ts';
import { measureEnding } from './ending.ts';
import { measureFootprint } from './footprint.ts';
import { measurePreload } from './preload.ts';
import { measureReady } from './ready.ts';
import { measureRouter } from './router.ts';

/** Each measures on its own; `npm run bench -- lanes ready` runs one of them. */
const parts: Readonly<Record<string, (say: Say) => Promise<BenchResult>>> = {
  ready: measureReady,
  footprint: measureFootprint,
  ending: measureEnding,
  preload: measurePreload,
  router: measureRouter,
};

export const benchmark: Benchmark = {
  title: 'time until a lane is ready, and what it costs',
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
