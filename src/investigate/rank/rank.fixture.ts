import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Random numbers that are the same in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A chain of services: each calls the next one. */
export const chain = ['edge', 'orders', 'pricing', 'validation', 'ledger'];

export interface MadeFault {
  readonly seed: number;
  readonly cause: string;
  /** `cpu` and `mem` stay where they are; `latency` also shows in all that call the service. */
  readonly metric: 'cpu' | 'mem' | 'latency';
  /** How many times the usual value. */
  readonly factor: number;
}

const [seconds, onset, start] = [240, 120, 1_700_000_000];

/** One case in the layout: metrics with noise, a drift that is no fault, and one fault. */
export function writeCase(directory: string, { seed, cause, metric, factor }: MadeFault): void {
  const random = seededRandom(seed);
  const columns = chain.flatMap((service) =>
    ['cpu', 'mem', 'latency'].map((name) => ({ service, name, usual: 1 + 9 * random() })),
  );
  const slow = chain.indexOf(cause);
  const lines = Array.from({ length: seconds }, (_, second) =>
    [
      start + second,
      ...columns.map(({ service, name, usual }) => {
        const noise = 1 + 0.1 * (random() + random() - 1);
        const drift = name === 'mem' ? 1 + second / 2_000 : 1;
        const isHit =
          name === metric &&
          (service === cause || (name === 'latency' && chain.indexOf(service) < slow));
        return usual * noise * drift * (isHit && second >= onset ? factor : 1);
      }),
    ].join(','),
  );
  mkdirSync(directory, { recursive: true });
  const header = ['time', ...columns.map(({ service, name }) => `${service}_${name}`)].join(',');
  writeFileSync(join(directory, 'data.csv'), `${header}\n${lines.join('\n')}\n`);
  writeFileSync(join(directory, 'inject_time.txt'), `${start + onset}\n`);
  const calls = chain.slice(1).map((callee, index) => [chain[index], callee]);
  writeFileSync(join(directory, 'graph.json'), JSON.stringify(calls));
}
