import { readdirSync, readFileSync } from 'node:fs';
import type { Bar, Row } from './bench.ts';

interface Saved {
  readonly name: string;
  readonly title: string;
  readonly at: string;
  readonly machine: Readonly<Record<string, string | number>>;
  readonly bars: readonly Bar[];
  readonly rows: readonly Row[];
}

/** docs/benchmarks.md, from the results that were kept. */
export function benchmarksDocument(): string {
  const directory = new URL('./results/', import.meta.url);
  const files = readdirSync(directory).filter((file) => file.endsWith('.json'));
  const saved = files
    .sort()
    .map((file) => JSON.parse(readFileSync(new URL(file, directory), 'utf8')));
  return `${[introduction, ...(saved as Saved[]).map(section)].join('\n\n')}\n`;
}

const introduction = `# Benchmarks

What Surety costs, beside the alternatives. Run one with \`npm run bench -- <name>\`; this page is made from the saved runs,
and no number in it is typed by hand.

How to read it: each benchmark has **bars**, which are limits that we want to meet, and a table of the contenders. Contenders
take turns, round after round, in one run on one machine, and each checks its own output. Absolute numbers hold only for
that machine; compare the ratios. \`loadBefore\` is the machine's load average at the start: a high one makes a run unreliable.`;

function section({ name, title, at, machine, bars, rows }: Saved): string {
  const facts = Object.entries(machine).map(([key, value]) => `${key} ${value}`);
  return [
    `## ${name}: ${title}`,
    `${at.slice(0, 10)} · ${facts.join(' · ')}`,
    table(['bar', 'measured', 'required', 'met', 'what'], bars.map(barCells)),
    ...Array.from(byColumns(rows), (group) =>
      table(Object.keys(group[0] as Row), group.map(cells)),
    ),
  ].join('\n\n');
}

function barCells({ id, value, unit, bar, holds, what }: Bar): string[] {
  const number = value.toLocaleString('en', { maximumFractionDigits: 2 });
  return [`\`${id}\``, `${number} ${unit}`, bar, holds ? 'yes' : '**no**', what];
}

/** Rows with the same columns share a table. */
function byColumns(rows: readonly Row[]): Iterable<Row[]> {
  return Map.groupBy(rows, (row) => Object.keys(row).join()).values();
}

function cells(row: Row): string[] {
  return Object.values(row).map((value) => value.toLocaleString('en'));
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...lines.map(line)].join('\n');
}
