import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { redactText } from '../../kernel/index.ts';

/** What Surety itself writes; an agent reads what its services said. */
const ownLogs = new Set(['daemon', 'keeper', 'router']);

/** The last lines of these logs that hold a text, secrets removed. */
export function findLogLines(
  directory: string,
  text: string,
  { linesMax, names }: { readonly linesMax: number; readonly names: ReadonlySet<string> },
): string[] {
  if (text === '') return [];
  const wanted = [...names].filter((name) => !ownLogs.has(name)).sort();
  const found = wanted.flatMap((name) => {
    const file = join(directory, `${name}.log`);
    if (!existsSync(file)) return [];
    const all = readFileSync(file, 'utf8');
    // Most logs say nothing about it, and are large.
    if (!all.includes(text)) return [];
    const matching = all.split('\n').filter((line) => line.includes(text));
    return matching.map((line) => `${name}  ${redactText(line)}`);
  });
  return found.slice(-linesMax);
}
