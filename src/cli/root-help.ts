import type { Command } from './command.ts';
import { commandGroups } from './commands.ts';
import { formatEntry } from './format/wrap.ts';

const column = 30;

/** What `surety` and `surety --help` print: every command under the task it serves. */
export function formatRootHelp(): string {
  const sections = Object.entries(commandGroups).map(([title, members]) => {
    const lines = members.map((command) =>
      formatEntry(`  ${usage(command)}`, command.summary, column),
    );
    return [title, ...lines].join('\n');
  });
  return `${[heading, ...sections, footer].join('\n\n')}\n`;
}

const heading = `Agents propose. Surety proves the proposal against the real running system,
and only then commits it.

Usage: surety <command> [options]
       surety help <command>`;

const footer = `Every command takes
  --json                      answer in JSON, one value per line
  -C, --directory <path>      the workspace
                              (default: the nearest surety.yaml or .surety)
  --help                      show its options, with examples
  SURETY_TOKEN=<token>        act as the owner of this token
                              (default: the owner of the directory)

Instead of the id of a lane, verdict or task, write last for the latest one.

Exit codes
  0  success
  1  the command worked, and the result is bad: a verdict fail, a broken chain
  2  wrong usage, or nothing could be judged
  3  Surety, or something it depends on, failed
  4  a verdict is inconclusive

Examples
  surety init && surety verify --worktree
  surety lane open --worktree && surety lane curl last /
  surety ledger verify --json`;

function usage({ name, arguments: given = [] }: Command): string {
  return [name, ...given.map(([argument]) => argument)].join(' ');
}
