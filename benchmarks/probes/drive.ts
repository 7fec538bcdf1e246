import { Agent, get } from 'node:http';
import type { BenchResult } from '../bench.ts';

/** Requests of one phase. */
const requestsUsual = 8_000;
const concurrency = 8;

export interface Phase {
  readonly requests: number;
  readonly cpuUs: number;
  readonly p999Ms: number;
  readonly seconds: number;
}

/** Sends the same number of requests, and asks the service for its CPU time before and after. */
export async function drive(
  port: number,
  name: string,
  requests: number = requestsUsual,
): Promise<Phase> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const cpu = async (): Promise<number> => {
    const { user, system } = JSON.parse(await fetchText(port, '/cpu', agent));
    return user + system;
  };
  const began = performance.now();
  const before = await cpu();
  const times: number[] = [];
  let left = requests;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const at = performance.now();
      const text = await fetchText(port, '/', agent);
      if (!text.startsWith('{"total":')) throw new Error(`${name}: another answer`);
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const cpuUs = ((await cpu()) - before) / requests;
  agent.destroy();
  times.sort((one, other) => one - other);
  const seconds = (performance.now() - began) / 1_000;
  return { requests, cpuUs, p999Ms: times[Math.floor(times.length * 0.999)] ?? 0, seconds };
}

function fetchText(port: number, path: string, agent: Agent): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  get({ port, path, agent, host: '127.0.0.1' }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    response.on('end', () => resolve(text));
  }).on('error', reject);
  return promise;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

export function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

/**
 * CPU time beyond that of the phase without a probe in the same round, per second, in percent of a
 * core: what a probe costs on a machine that others use, too.
 */
export function shareOf(own: readonly Phase[], none: readonly Phase[]): number {
  const shares = own.map(({ requests, cpuUs, seconds }, round) => {
    const beyond = cpuUs - (none[round]?.cpuUs ?? cpuUs);
    return (beyond * requests) / (seconds * 1e6);
  });
  return Number((median(shares) * 100).toFixed(1));
}

export function joinResults(measured: readonly BenchResult[]): BenchResult {
  return {
    bars: measured.flatMap(({ bars }) => bars),
    rows: measured.flatMap(({ rows }) => rows),
  };
}
