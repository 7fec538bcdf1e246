import type { Benchmark } from '../bench.ts';
import { measureIngest } from './ingest.ts';
import { measureReports } from './preload.ts';
import { measureQueries } from './queries.ts';
import { measureStoring } from './storing.ts';

export const benchmark: Benchmark = {
  title: 'cost of telemetry, and query times',
  // Queries first: they are bounded by the memory of their process, in which others leave things.
  parts: {
    queries: measureQueries,
    ingest: measureIngest,
    storing: measureStoring,
    preload: measureReports,
  },
};
