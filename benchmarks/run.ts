import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, release, totalmem } from 'node:os';
import { type Benchmark, type BenchResult, mergeResults, runParts } from './bench.ts';
import { benchmarksDocument } from './document.ts';

/** `npm run bench -- <name>`: runs it, prints it, keeps it, and writes docs/benchmarks.md anew. */
const names = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'results')
  .map(({ name }) => name);

const [wanted, part] = process.argv.slice(2);
if (wanted === undefined || !names.includes(wanted)) {
  process.stderr.write(`Which benchmark? npm run bench -- <name>, one of: ${names.join(', ')}\n`);
  process.exit(2);
}

const { benchmark } = (await import(`./${wanted}/index.ts`)) as { benchmark: Benchmark };
const parts = Object.keys(benchmark.parts);
if (part !== undefined && !parts.includes(part)) {
  process.stderr.write(`${wanted} has no part "${part}", but: ${parts.join(', ')}\n`);
  process.exit(2);
}
const say = (text: string): void => void process.stderr.write(`  ${text}\n`);
const before = machine();
const result = await runParts(benchmark, say, part);
save(wanted, result);
writeFileSync('docs/benchmarks.md', benchmarksDocument());
show(benchmark.title, result);
process.exit(result.bars.every(({ holds }) => holds) ? 0 : 1);

function save(name: string, measured: BenchResult): void {
  const at = new Date().toISOString();
  const { bars, rows } = part === undefined ? measured : mergeResults(readResult(name), measured);
  const text = JSON.stringify(
    { name, title: benchmark.title, at, machine: before, bars, rows },
    null,
    2,
  );
  writeFileSync(resultFile(name), `${text}\n`);
}

function readResult(name: string): BenchResult {
  return JSON.parse(readFileSync(resultFile(name), 'utf8')) as BenchResult;
}

function resultFile(name: string): URL {
  return new URL(`./results/${name}.json`, import.meta.url);
}

function machine(): Record<string, string | number> {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    system: `${process.platform} ${release()} ${arch()}`,
    node: process.version,
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
  };
}

function show(title: string, { bars, rows }: BenchResult): void {
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  print(`\n${title}\n`);
  for (const row of rows) {
    const { contender, ...facts } = row;
    const told = Object.entries(facts).map(
      ([name, value]) => `${name} ${value.toLocaleString('en')}`,
    );
    print(`  ${contender.padEnd(34)} ${told.join(' · ')}`);
  }
  print('');
  for (const { id, what, value, unit, bar, holds } of bars) {
    const number = value.toLocaleString('en', { maximumFractionDigits: 2 });
    print(`  ${holds ? 'holds ' : 'MISSED'}  ${id.padEnd(26)} ${number} ${unit} (${bar})  ${what}`);
  }
}
