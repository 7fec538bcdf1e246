import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Benchmark, BenchResult } from '../bench.ts';

export const benchmark: Benchmark = {
  title: 'tasks, joins and locks, durable, beside 10 to 100,000 tasks',
  parts: { operations: measureApart },
};

async function measureApart(): Promise<BenchResult> {
  const file = fileURLToPath(new URL('./measure-process.ts', import.meta.url));
  const output = execFileSync(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(output.toString()) as BenchResult;
}
