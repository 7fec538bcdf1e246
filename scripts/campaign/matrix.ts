import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startRedis } from '../../tests/harness/local-server.ts';
import { startPostgres } from '../../tests/harness/postgres/postgres.ts';
import { type MatrixRow, problemsOf, runMatrix } from '../../tests/isolation/matrix/matrix.ts';
import { say } from '../steps.ts';

const require = createRequire(import.meta.url);
const run = promisify(execFile);

interface PackagePattern {
  /** The set that it is installed in, and what npm installs. */
  readonly install: readonly [string, ...string[]];
}

const { patterns } = require('../../tests/isolation/matrix/patterns.cjs') as {
  patterns: Readonly<Record<string, unknown>>;
};
const { packages } = require('../../tests/isolation/matrix/packages.cjs') as {
  packages: Readonly<Record<string, PackagePattern>>;
};

/**
 * `npm run campaign -- matrix [requests] [page]`: services that work in all the ways of
 * tests/isolation/matrix, and with packages that npm installs for it, under requests with a key and
 * without one. Writes the table to the page, such as docs/tagging.md.
 */
export async function matrixCampaign([requests = '16', page]: string[]): Promise<number> {
  const rows = await runAll(Number(requests));
  const problems = rows.flatMap(problemsOf);
  if (page) writeTable(page, rows);
  const keyed = sum(rows, 'keyedAtCandidate');
  say(`\n${rows.length} patterns and packages: ${keyed} of ${sum(rows, 'keyed')} keyed requests`);
  say(`and ${sum(rows, 'unkeyedAtCandidate')} of ${sum(rows, 'unkeyed')} unkeyed ones came to`);
  say(`the candidate. ${sum(rows, 'candidateAnswers')} unkeyed requests got a shared answer.`);
  say(`${problems.length} problems.`);
  return problems.length === 0 ? 0 : 1;
}

async function runAll(requests: number): Promise<MatrixRow[]> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-matrix-'));
  try {
    await installSets(directory);
    const redis = await startRedis();
    await using _redis = { [Symbol.asyncDispose]: redis.stop };
    const postgres = await startPostgres();
    await using _postgres = { [Symbol.asyncDispose]: () => postgres.stop() };
    const environment = {
      PACKAGES: directory,
      REDIS_PORT: String(redis.port),
      POSTGRES_URL: postgres.url,
    };
    const names = [...Object.keys(patterns), ...Object.keys(packages)];
    return await runMatrix({ patterns: names, requests, environment, onRow: sayRow });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function installSets(directory: string): Promise<void> {
  const sets = Map.groupBy(Object.values(packages), ({ install: [set] }) => set);
  for (const [set, all] of sets) {
    const folder = join(directory, set);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const wanted = new Set(all.flatMap(({ install: [, ...names] }) => names));
    say(`installing ${wanted.size} packages …`);
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error'];
    await run('npm', ['install', ...options, ...wanted], { cwd: folder });
  }
}

function sayRow(row: MatrixRow): void {
  const { pattern, keyed, keyedAtCandidate, unkeyed, unkeyedAtCandidate } = row;
  const counts = `${keyedAtCandidate} of ${keyed}, ${unkeyedAtCandidate} of ${unkeyed}`;
  say(`${pattern.padEnd(46)} ${counts.padEnd(20)} ${outcomeOf(row)}`);
  for (const problem of problemsOf(row)) say(`  ! ${problem}`);
}

function outcomeOf({ keyed, keyedAtCandidate, candidateAnswers, losses }: MatrixRow): string {
  const outcomes = [
    ...(keyedAtCandidate < keyed ? ['loss'] : []),
    ...(candidateAnswers > 0 ? ['shared answer'] : []),
  ];
  if (outcomes.length === 0) return '';
  return losses.length > 0 ? `${outcomes.join(', ')}: reported` : `${outcomes.join(', ')}: silent`;
}

function sum(
  rows: readonly MatrixRow[],
  field: 'keyed' | 'keyedAtCandidate' | 'unkeyed' | 'unkeyedAtCandidate' | 'candidateAnswers',
): number {
  return rows.reduce((total, row) => total + row[field], 0);
}

const marks = ['<!-- matrix -->', '<!-- end of matrix -->'] as const;

function writeTable(page: string, rows: readonly MatrixRow[]): void {
  const text = readFileSync(page, 'utf8');
  const from = text.indexOf(marks[0]);
  const to = text.indexOf(marks[1]);
  if (from < 0 || to < 0) throw new Error(`${page} has no place for the table`);
  const table = `${marks[0]}\n${formatTable(rows)}\n${marks[1]}`;
  writeFileSync(page, text.slice(0, from) + table + text.slice(to + marks[1].length));
}

function formatTable(rows: readonly MatrixRow[]): string {
  const lines = rows.map((row) => {
    const { pattern, keyed, keyedAtCandidate, unkeyed, unkeyedAtCandidate } = row;
    const [, ...versions] = packages[pattern]?.install ?? [''];
    const cells = [
      pattern,
      versions.join(', '),
      `${keyedAtCandidate} of ${keyed}`,
      `${unkeyedAtCandidate} of ${unkeyed}`,
      outcomeOf(row),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head =
    '| pattern or package | version | keyed at the candidate | unkeyed there | reported |';
  return [head, '| --- | --- | --- | --- | --- |', ...lines].join('\n');
}
