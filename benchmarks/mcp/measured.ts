import { type Contender, median, quantile, type Row } from '../bench.ts';
import { cpuSecondsOf } from '../processes.ts';
import type { Target } from './caller.ts';
import type { Load } from './loads.ts';

interface Measure {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

/** One target under one load; remembers what every round of it showed. */
export class Measured implements Contender {
  readonly name: string;
  readonly #target: Target;
  readonly #load: Load;
  readonly #rounds: Measure[] = [];
  /** Of all rounds, also the one that warms up. */
  calls = 0;

  constructor(what: string, target: Target, load: Load) {
    this.name = `${what}: ${target.name}`;
    this.#target = target;
    this.#load = load;
  }

  async round(): Promise<number> {
    const cpu = cpuSecondsOf(this.#target.pid);
    const started = performance.now();
    const taken = await this.#load(this.#target);
    const seconds = (performance.now() - started) / 1_000;
    const calls = taken.length;
    const cpuMicroseconds = ((cpuSecondsOf(this.#target.pid) - cpu) / calls) * 1_000_000;
    const [p50, p99] = [quantile(taken, 0.5), quantile(taken, 0.99)];
    this.#rounds.push({ p50, p99, perSecond: calls / seconds, cpuMicroseconds });
    this.calls += calls;
    return calls;
  }

  of(what: keyof Measure): number[] {
    return this.#rounds.slice(1).map((round) => round[what]);
  }

  /** Within each round, so that whatever else the machine does meanwhile falls out. */
  over(direct: Measured, what: 'p50' | 'p99'): number {
    const bare = direct.of(what);
    return median(this.of(what).map((value, index) => value - (bare[index] ?? value)));
  }

  /** Within each round as well. */
  relativeTo(other: Measured, what: 'p50' | 'p99'): number {
    const theirs = other.of(what);
    return median(this.of(what).map((value, index) => value / (theirs[index] ?? value)));
  }

  row(direct: Measured): Row {
    return {
      contender: this.name,
      'p50 ms': short(median(this.of('p50'))),
      'p99 ms': short(median(this.of('p99'))),
      'added p50 ms': short(this.over(direct, 'p50')),
      'added p99 ms': short(this.over(direct, 'p99')),
      'per second': Math.round(median(this.of('perSecond'))),
      'CPU µs each, its process': Math.round(median(this.of('cpuMicroseconds'))),
    };
  }
}

const short = (milliseconds: number): number => Number(milliseconds.toFixed(2));
