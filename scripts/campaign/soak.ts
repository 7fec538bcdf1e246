import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { bundleWithClock } from '../../tests/harness/soak/jumping-clock.ts';
import { runSoak, type SoakReport } from '../../tests/harness/soak/soak.ts';
import { freshBundle } from '../fresh-bundle.ts';
import { say } from '../steps.ts';

const reports = resolve(import.meta.dirname, '..', '..', '.cache', 'soak');

/**
 * `npm run campaign -- soak 60 [seed] [file]`: so many minutes of mixed load on a whole system,
 * with kills, pauses, a full disk and jumps of the clock. Prints a report, and writes it as JSON.
 */
export async function soakCampaign(words: string[]): Promise<number> {
  if (process.env.SURETY_TEST_BUNDLE === undefined) return inBundle(words);
  const [minutes = '60', seed = '1', file] = words;
  const started = performance.now();
  const tell = (line: string): void =>
    say(`${((performance.now() - started) / 1_000).toFixed(0)} s: ${line}`);
  const report = await runSoak(Number(minutes), Number(seed), tell);
  say(formatSoak(report));
  const path = file ?? join(reports, `${minutes}-minutes-seed-${seed}.json`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`);
  say(`The report is in ${path}.`);
  return report.left === 0 && report.problems.length === 0 ? 0 : 1;
}

/** The same command again: which programs are started is settled when a process loads its code. */
async function inBundle(words: readonly string[]): Promise<number> {
  const SURETY_TEST_BUNDLE = bundleWithClock(await freshBundle());
  const command = [...process.execArgv, process.argv[1] ?? '', 'soak', ...words];
  const env = { ...process.env, SURETY_TEST_BUNDLE };
  const [code] = await once(spawn(process.execPath, command, { env, stdio: 'inherit' }), 'exit');
  return code ?? 1;
}

function formatSoak(report: SoakReport): string {
  const { minutes, seed, disturbances, leftOut, answers, load, left, use, problems } = report;
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  const total = Object.values(disturbances).reduce((sum, count) => sum + count, 0);
  return [
    `\n${minutes} minutes, seed ${seed}, ${total} disturbances: ${list(disturbances)}.`,
    ...Object.entries(leftOut).map(([name, reason]) => `Left out: ${name} (${reason}).`),
    `Answers to proposals: ${list(answers)}. Other load: ${list(load)}.`,
    '\n| process | heap in use at first | at the end | descriptors at first | at the end | resident at the end |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...Object.entries(use).map(
      ([name, { first, last }]) =>
        `| ${name} | ${first.heapMb ?? '?'} MB | ${last.heapMb ?? '?'} MB | ${first.descriptors} | ${last.descriptors} | ${last.residentMb} MB |`,
    ),
    '',
    ...problems,
    `${left} outcomes are left unknown, ${problems.length} problems.`,
  ].join('\n');
}
