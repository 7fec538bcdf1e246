/**
 * One number against its bar. `value` is what was measured, `holds` whether that is good enough.
 */
export interface Bar {
  readonly id: string;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** As people read it: "≥ 0.6". */
  readonly bar: string;
  readonly holds: boolean;
}

/** A line of the table: one contender, with whatever is worth knowing about it. */
export type Row = { readonly contender: string } & Readonly<Record<string, string | number>>;

export interface BenchResult {
  readonly bars: readonly Bar[];
  readonly rows: readonly Row[];
}

export type Say = (text: string) => void;

export interface Benchmark {
  readonly title: string;
  /** Each measures on its own: `npm run bench -- lanes ready` runs one of them. */
  readonly parts: Readonly<Record<string, (say: Say) => Promise<BenchResult>>>;
}

/** One part of a benchmark, or all of them one after the other. */
export async function runParts(
  { parts }: Benchmark,
  say: Say,
  only?: string,
): Promise<BenchResult> {
  const measured: BenchResult[] = [];
  for (const [name, measure] of Object.entries(parts)) {
    if (only === undefined || only === name) measured.push(await measure(say));
  }
  return {
    bars: measured.flatMap(({ bars }) => bars),
    rows: measured.flatMap(({ rows }) => rows),
  };
}

/** What one part measured, in place of what it measured before; other parts keep their results. */
export function mergeResults(kept: BenchResult, measured: BenchResult): BenchResult {
  return {
    bars: replaceSame(kept.bars, measured.bars, ({ id }) => id),
    // Two parts may have a contender of the same name, but not the same columns as well.
    rows: replaceSame(kept.rows, measured.rows, (row) =>
      [row.contender, ...Object.keys(row)].join(),
    ),
  };
}

function replaceSame<Item>(
  kept: readonly Item[],
  measured: readonly Item[],
  nameOf: (item: Item) => string,
): Item[] {
  const items = new Map(kept.map((item) => [nameOf(item), item]));
  for (const item of measured) items.set(nameOf(item), item);
  return [...items.values()];
}

/** What one round of one contender took. */
export interface Round {
  readonly operations: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

export interface Contender {
  readonly name: string;
  /** Does the work once; checks its own output and throws when it is wrong. */
  round(): Promise<number>;
}

/**
 * Contenders in turn, round after round (ABAB…): whatever else this machine does meanwhile, it does
 * to all of them. The first round of each warms up and is not counted.
 */
export async function interleave(
  contenders: readonly Contender[],
  rounds: number,
  say: Say,
): Promise<Map<string, Round[]>> {
  const measured = new Map<string, Round[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'warming up' : `round ${round} of ${rounds}`);
    for (const contender of contenders) {
      const taken = await measure(contender);
      if (round > 0) measured.get(contender.name)?.push(taken);
    }
  }
  return measured;
}

async function measure(contender: Contender): Promise<Round> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const operations = await contender.round();
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { operations, seconds, cpuSeconds: (user + system) / 1_000_000 };
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const perSecond = ({ operations, seconds }: Round): number => operations / seconds;

/** Of the two in the same round: noise that lasts longer than a round falls out. */
export function medianRatio(left: readonly Round[], right: readonly Round[]): number {
  return median(left.map((round, index) => perSecond(round) / perSecond(right[index] as Round)));
}

export function throughputRow(contender: string, rounds: readonly Round[]): Row {
  const rates = rounds.map(perSecond);
  const cpu = rounds.map(({ cpuSeconds, operations }) => (cpuSeconds / operations) * 1_000_000);
  return {
    contender,
    'per second, median': Math.round(median(rates)),
    'slowest round': Math.round(Math.min(...rates)),
    'fastest round': Math.round(Math.max(...rates)),
    'CPU µs each': Number(median(cpu).toFixed(1)),
  };
}

export function atLeast(id: string, what: string, value: number, limit: number, unit: string): Bar {
  return { id, what, value, unit, bar: `≥ ${limit.toLocaleString('en')}`, holds: value >= limit };
}

export function atMost(id: string, what: string, value: number, limit: number, unit: string): Bar {
  return { id, what, value, unit, bar: `≤ ${limit.toLocaleString('en')}`, holds: value <= limit };
}
