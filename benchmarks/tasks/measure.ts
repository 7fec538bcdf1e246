import {
  atLeast,
  atMost,
  type Bar,
  type BenchResult,
  median,
  type Round,
  type Row,
  type Say,
} from '../bench.ts';
import { measureOperations, measureWideJoin, type Rounds } from './rounds.ts';
import { Scene } from './scene.ts';

const sizes = [10, 1_000, 100_000];
const rounds = 5;
const widths = [10, 1_000];

const titles: Readonly<Record<string, string>> = {
  split: 'split a task',
  join: 'open a join over 4 children',
  finish: 'finish a child of a join',
  acquire: 'acquire a lock',
  release: 'release a lock',
};

interface Measured {
  readonly tasks: number;
  readonly rounds: readonly Rounds[];
}

/** The same work beside more and more open tasks, in one ledger. */
export async function measureTasks(say: Say): Promise<BenchResult> {
  const scene = await Scene.open();
  try {
    await measureOperations(scene);
    const measured: Measured[] = [];
    for (const tasks of sizes) {
      say(`beside ${tasks} tasks`);
      await scene.grow(tasks);
      measured.push({ tasks, rounds: await repeat(() => measureOperations(scene)) });
    }
    say('wide joins');
    const wide = await measureWidths(scene);
    return {
      bars: [...rateBars(measured), ...flatBars(measured)],
      rows: [...rowsOf(measured), ...wide],
    };
  } finally {
    await scene.close();
  }
}

async function repeat<Value>(work: () => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  for (let count = 0; count < rounds; count++) values.push(await work());
  return values;
}

async function measureWidths(scene: Scene): Promise<Row[]> {
  const rows: Row[] = [];
  for (const width of widths) {
    const taken = await repeat(() => measureWideJoin(scene, width));
    rows.push({ contender: `finish a child of a join of ${width}`, ...figures(taken) });
  }
  return rows;
}

const of = ({ rounds: all }: Measured, name: string): Round[] =>
  all.map((one) => one[name] as Round);
const rate = (taken: readonly Round[]): number =>
  median(taken.map(({ operations, seconds }) => operations / seconds));
const cpuUs = (taken: readonly Round[]): number =>
  median(taken.map(({ operations, cpuSeconds }) => (cpuSeconds / operations) * 1_000_000));

function figures(taken: readonly Round[]): Record<string, number> {
  return {
    'per second, median': Math.round(rate(taken)),
    'CPU µs each': Number(cpuUs(taken).toFixed(1)),
    'per CPU second': Math.round(1_000_000 / cpuUs(taken)),
  };
}

function rowsOf(measured: readonly Measured[]): Row[] {
  return measured.flatMap((one) =>
    Object.entries(titles).map(([name, title]) => ({
      contender: `${title}, beside ${one.tasks.toLocaleString('en')} tasks`,
      ...figures(of(one, name)),
    })),
  );
}

function rateBars(measured: readonly Measured[]): Bar[] {
  return ['split', 'join', 'acquire'].map((name) => {
    const slowest = Math.min(...measured.map((one) => rate(of(one, name))));
    const what = `${titles[name]}, durable, 64 callers, at the slowest size`;
    return atLeast(`tasks.${name}`, what, Math.round(slowest), 5_000, '/s');
  });
}

/** CPU time, because the disk and other programs do not know how many tasks there are. */
function flatBars(measured: readonly Measured[]): Bar[] {
  const [small, large] = [measured[0] as Measured, measured.at(-1) as Measured];
  return Object.entries(titles).map(([name, title]) => {
    const ratio = cpuUs(of(large, name)) / cpuUs(of(small, name));
    const what = `${title}: CPU beside 100,000 tasks relative to 10`;
    return atMost(`tasks.flat.${name}`, what, Number(ratio.toFixed(2)), 1.2, '×');
  });
}
