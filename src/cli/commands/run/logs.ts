import { existsSync, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fault } from '../../../kernel/index.ts';
import type { RunCommand } from '../../command.ts';
import { visibleLines } from '../../format/visible.ts';
import { wholeNumber } from '../../options/whole-number.ts';
import { lastLines } from './log-lines.ts';
import { isSearch, searchLogs } from './log-search.ts';

export const run: RunCommand = async (invocation) => {
  const {
    place,
    output,
    words: [name],
    options,
  } = invocation;
  if (isSearch(options)) return searchLogs(invocation);
  const count = wholeNumber('--lines', options.lines, 100);
  const names = logNames(place.logs);
  if (name !== undefined && !names.includes(name)) {
    const there = names.length > 0 ? `; there are: ${names.join(', ')}` : '';
    throw fault('NOT_FOUND', { what: `log "${name}"${there}` });
  }
  const shown = name === undefined ? names : [name];
  const prefix = shown.length > 1;
  const print = (source: string, line: string): void => {
    output.value({ source, line });
    const text = visibleLines(line);
    output.line(prefix ? `${output.tone('dim', source)}  ${text}` : text);
  };
  for (const source of shown) {
    const lines = lastLines(logFile(place.logs, source), count);
    for (const line of lines) print(source, line);
    if (lines.length === 0 && !prefix)
      output.line(output.tone('dim', `${source} said nothing yet`));
  }
  if (options.follow) await follow(place.logs, shown, print);
};

function logNames(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((file) => file.endsWith('.log'))
    .map((file) => file.slice(0, -'.log'.length))
    .sort();
}

function logFile(directory: string, name: string): string {
  return join(directory, `${name}.log`);
}

/** Goes on until the user interrupts it. A log that was cut is read again from its start. */
async function follow(
  directory: string,
  names: readonly string[],
  print: (source: string, line: string) => void,
): Promise<void> {
  const positions = new Map(names.map((name) => [name, statSync(logFile(directory, name)).size]));
  for await (const _ of changes(directory)) {
    for (const [name, position] of positions) {
      const bytes = readFileSync(logFile(directory, name));
      const from = bytes.length < position ? 0 : position;
      const end = bytes.lastIndexOf(10) + 1;
      if (end <= from) continue;
      for (const line of bytes
        .subarray(from, end - 1)
        .toString('utf8')
        .split('\n')) {
        print(name, line);
      }
      positions.set(name, end);
    }
  }
}

async function* changes(directory: string): AsyncGenerator<void> {
  while (true) {
    await new Promise<void>((resolve) => {
      const watcher = watch(directory, () => {
        watcher.close();
        resolve();
      });
    });
    yield;
  }
}
