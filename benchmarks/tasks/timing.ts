import type { Round } from '../bench.ts';
import { inParallel } from './scene.ts';

export async function round(
  operations: number,
  work: (index: number) => Promise<void>,
): Promise<Round> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await inParallel(operations, work);
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { operations, seconds, cpuSeconds: (user + system) / 1_000_000 };
}
