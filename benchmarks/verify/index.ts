import type { Benchmark } from '../bench.ts';
import { measureStatistics } from './statistics.ts';

export const benchmark: Benchmark = {
  title: 'verdicts, against other ways of judging',
  run: measureStatistics,
};
