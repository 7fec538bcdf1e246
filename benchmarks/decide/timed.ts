import { type Contender, median, perSecond, quantile, type Round, type Row } from '../bench.ts';

const roundMs = 150;

/** A contender whose every single call is timed, besides the round as a whole. */
export interface Timed extends Contender {
  /** In microseconds, of the rounds that count: the median of what each round had. */
  microseconds(q: number): number;
}

/** Goes through all of `cases` again and again, until a round is long enough to be measured. */
export function timed<Case>(
  name: string,
  cases: readonly Case[],
  call: (one: Case) => boolean,
): Timed {
  const expected = cases.filter(call).length;
  const rounds: number[][] = [];
  return {
    name,
    async round() {
      const taken: number[] = [];
      const ends = performance.now() + roundMs;
      do {
        let yes = 0;
        for (const one of cases) {
          const started = performance.now();
          const answer = call(one);
          taken.push((performance.now() - started) * 1_000);
          if (answer) yes++;
        }
        if (yes !== expected) throw new Error(`${name} said yes ${yes} times, not ${expected}`);
      } while (performance.now() < ends);
      rounds.push(taken);
      return taken.length;
    },
    microseconds: (q) => median(rounds.slice(1).map((taken) => quantile(taken, q))),
  };
}

export function timedRow(contender: Timed, measured: readonly Round[]): Row {
  const rounded = (q: number): number => Number(contender.microseconds(q).toFixed(2));
  const cpu = median(measured.map(({ operations, cpuSeconds }) => cpuSeconds / operations));
  return {
    contender: contender.name,
    'p50 µs': rounded(0.5),
    'p99 µs': rounded(0.99),
    'per second': Math.round(median(measured.map(perSecond))),
    'CPU µs each': Number((cpu * 1_000_000).toFixed(2)),
  };
}
