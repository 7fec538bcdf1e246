import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { redactText } from '../kernel/index.ts';

/** What Surety itself writes; an agent reads what its services said. */
const ownLogs = new Set(['daemon.log', 'keeper.log', 'router.log']);

/** The last lines of all services' logs that hold a text, secrets removed. */
export function findLogLines(directory: string, text: string, linesMax: number): string[] {
  if (!existsSync(directory) || text === '') return [];
  const files = readdirSync(directory).filter(
    (file) => file.endsWith('.log') && !ownLogs.has(file),
  );
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(directory, file), 'utf8').split('\n');
    const matching = lines.filter((line) => line.includes(text));
    return matching.map((line) => `${file.slice(0, -'.log'.length)}  ${redactText(line)}`);
  });
  return found.slice(-linesMax);
}
