import { quantile } from '../bench.ts';
import { type Judge, judgeByValues } from './contender.ts';

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The rules that people write by hand. */
export const thresholdRules: readonly Judge[] = [
  judgeByValues(
    'p99 > 1.2 ×',
    (control, candidate) => quantile(candidate, 0.99) > 1.2 * quantile(control, 0.99),
  ),
  judgeByValues('mean > 1.1 ×', (control, candidate) => mean(candidate) > 1.1 * mean(control)),
];
