import { type Contender, median, quantile, type Round, type Row } from '../bench.ts';

/** A contender whose calls come one after the other, each timed by itself. */
export interface Latencies extends Contender {
  /** In microseconds, one for each round that counts. */
  medians(): number[];
  tails(): number[];
}

export function latencies(
  name: string,
  perRound: number,
  call: () => Promise<void>,
  check: (done: number) => Promise<void>,
): Latencies {
  const rounds: number[][] = [];
  let done = 0;
  const of = (q: number): number[] => rounds.slice(1).map((taken) => quantile(taken, q));
  return {
    name,
    async round() {
      const taken: number[] = [];
      for (let index = 0; index < perRound; index++) {
        const started = performance.now();
        await call();
        taken.push((performance.now() - started) * 1_000);
      }
      done += perRound;
      await check(done);
      rounds.push(taken);
      return perRound;
    },
    medians: () => of(0.5),
    tails: () => of(0.99),
  };
}

export function latencyRow(contender: Latencies, measured: readonly Round[]): Row {
  const cpu = measured.map(({ cpuSeconds, operations }) => (cpuSeconds / operations) * 1_000_000);
  return {
    contender: contender.name,
    'p50 µs': Number(median(contender.medians()).toFixed(1)),
    'p99 µs': Number(median(contender.tails()).toFixed(1)),
    'CPU µs each': Number(median(cpu).toFixed(1)),
  };
}
