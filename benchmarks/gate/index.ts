import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Benchmark, BenchResult } from '../bench.ts';
import { measureAuthorise } from './authorise.ts';
import { measureOverHttp } from './over-http.ts';

export const benchmark: Benchmark = {
  title: 'proposals, authorised in memory, settled durably, and made over HTTP',
  parts: { durable: measureApart, http: measureOverHttp, memory: measureAuthorise },
};

/** Apart from what the other contenders load and keep in memory: a daemon has none of that. */
async function measureApart(): Promise<BenchResult> {
  const file = fileURLToPath(new URL('./durable-process.ts', import.meta.url));
  const output = execFileSync(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(output.toString()) as BenchResult;
}
