import type { Benchmark } from '../bench.ts';
import { measureCoverage } from './coverage.ts';
import { measureStatistics } from './statistics.ts';

export const benchmark: Benchmark = {
  title: 'verdicts, compared with other methods',
  parts: { statistics: measureStatistics, coverage: measureCoverage },
};
