import { EffectServer } from './effect-server.ts';
import { type CrashRun, runCrash } from './gate-crash-run.ts';

export interface Matrix {
  readonly runs: readonly CrashRun[];
  /** How often a process was killed at each point. */
  readonly kills: ReadonlyMap<string, number>;
  /** With the seed that shows it. */
  readonly problems: readonly string[];
}

const atOnce = 2;

/** One run for each seed, all against one server that counts what happens. */
export async function runMatrix(
  seeds: readonly number[],
  database: () => Promise<string | undefined> = async () => undefined,
  onRun: (run: CrashRun) => void = () => undefined,
): Promise<Matrix> {
  await using server = await EffectServer.start();
  const runs: CrashRun[] = [];
  const waiting = [...seeds];
  const work = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const run = await runCrash(seed, server, await database());
      runs.push(run);
      onRun(run);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const kills = new Map<string, number>();
  for (const point of runs.flatMap(({ killed }) => killed)) {
    kills.set(point, (kills.get(point) ?? 0) + 1);
  }
  const problems = runs.flatMap(({ seed, problems: found }) =>
    found.map((problem) => `seed ${seed}: ${problem}`),
  );
  return { runs, kills, problems };
}
