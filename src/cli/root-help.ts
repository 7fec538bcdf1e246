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
  -C, --directory <path>        the workspace; else the nearest surety.yaml or .surety upwards
  --help                        its options, with examples
  SURETY_TOKEN=<token>          act as whomever it stands for; else as the owner

Exit codes
  0  done, and what you asked about is well
  1  done, but what you asked about is bad
  2  used wrongly
  3  Surety, or what it stands on, failed
  4  done, but nothing can be said: a verdict that is inconclusive

Examples
  surety up && surety status
  surety ledger tail --follow
  surety ledger verify --json`;

function usage({ name, arguments: given = [] }: Command): string {
  return [name, ...given.map(([argument]) => argument)].join(' ');
}
