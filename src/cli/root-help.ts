import type { Command } from './command.ts';

const columns = 30;

/** What `surety` and `surety --help` print: every command under the task it serves. */
export function rootHelp(commands: readonly Command[]): string {
  const groups = Map.groupBy(commands, ({ group }) => group);
  const sections = Array.from(groups, ([title, members]) => {
    const lines = members.map((command) => `  ${usage(command).padEnd(columns)}${command.summary}`);
    return [title, ...lines].join('\n');
  });
  return `${[heading, ...sections, footer].join('\n\n')}\n`;
}

const heading = `Agents propose. Surety proves the proposal against the real running system,
and only then commits it.

Usage: surety <command> [options]`;

const footer = `Every command takes
  --json                        answer in JSON, one value per line
  -C, --directory <path>        the workspace (default: the nearest surety.yaml or .surety upwards)
  --help                        show its options, with examples
  SURETY_TOKEN=<token>          act as the owner of this token (default: the owner of the directory)

Exit codes
  0  success
  1  the command worked, and the result is bad: a verdict fail, a broken chain
  2  wrong usage, or nothing could be judged
  3  Surety, or something it depends on, failed
  4  a verdict is inconclusive

Examples
  surety up && surety status
  surety ledger tail --follow
  surety ledger verify --json`;

function usage({ name, arguments: given = [] }: Command): string {
  return [name, ...given.map(([argument]) => argument)].join(' ');
}
