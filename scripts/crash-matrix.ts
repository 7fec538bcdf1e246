import { runMatrix } from '../tests/harness/gate/crash-matrix.ts';
import { crashPoints } from '../tests/harness/gate/gate-crash-run.ts';
import { startPostgres } from '../tests/harness/postgres/postgres.ts';
import { say } from './steps.ts';

/**
 * `npm run crash-matrix -- 500 [first seed] [postgres]`: so many gates, each killed in the middle
 * of its work and started again, against a server that counts what really happened.
 */
const [count = '200', first = '0', store = 'sqlite'] = process.argv.slice(2);
const started = performance.now();
const postgres = store === 'postgres' ? await startPostgres() : undefined;
let done = 0;
const matrix = await runMatrix(
  Array.from({ length: Number(count) }, (_, index) => Number(first) + index),
  async () => postgres?.createDatabase(),
  ({ seed, problems }) => {
    if (problems.length > 0) say(`seed ${seed}: ${problems.join('; ')}`);
    if (++done % 50 === 0) say(`${done} runs …`);
  },
);
await postgres?.stop();

const { runs, kills, problems } = matrix;
say('\n| killed | before | during | after |\n| --- | ---: | ---: | ---: |');
for (const step of new Set(crashPoints.map(({ of }) => of))) {
  const times = ['before', 'during', 'after'].map((at) => kills.get(`${at} ${step}`) ?? 0);
  say(`| ${step} | ${times.join(' | ')} |`);
}
const total = [...kills.values()].reduce((sum, times) => sum + times, 0);
const told = runs.reduce((sum, run) => sum + run.told, 0);
const seconds = ((performance.now() - started) / 1_000).toFixed(0);
say(`\n${runs.length} runs on ${store}, ${total} kills, ${told} answers, ${seconds} s.`);
say(`${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;
