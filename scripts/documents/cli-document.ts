import { type Command, exitCodes } from '../../src/cli/command.ts';
import { commandGroups } from '../../src/cli/commands.ts';

/** docs/cli.md, from the table of commands. */
export function cliDocument(): string {
  const sections = Object.entries(commandGroups).map(([title, members]) =>
    [`## ${title}`, ...members.map(describe)].join('\n\n'),
  );
  return `${[introduction, ...sections].join('\n\n')}\n`;
}

const introduction = `# Commands

\`\`\`sh
surety up && surety status      # start the daemon, and see what runs
surety --help                   # all commands, by task
surety lane open --help         # one command, with its options and examples
\`\`\`

Every command takes these options:

- \`--json\` answers in JSON, one value per line, for scripts and agents. A failure is
  \`{"fault": {code, message, remedy, retryable}}\`; [errors.md](errors.md) lists the codes.
- \`-C, --directory <path>\` is the workspace. Default: the nearest directory upwards with a \`surety.yaml\` or a \`.surety\`.
- \`--help\` shows the options of the command.

With a token in \`SURETY_TOKEN\`, a command acts as the owner of that token. Otherwise it acts as the owner of the directory.
Commands use colour only on a terminal, and never with \`NO_COLOR\`.

| exit code | meaning |
|---|---|
| ${exitCodes.ok} | success |
| ${exitCodes.bad} | the command worked, and the result is bad: a verdict \`fail\`, a broken chain |
| ${exitCodes.usage} | wrong usage, or nothing could be judged |
| ${exitCodes.failed} | Surety, or something it depends on, failed |
| ${exitCodes.unclear} | a verdict is \`inconclusive\` |

This page is generated from the tables of commands in \`src/cli/\` by \`npm run docs\`.`;

function describe({
  name,
  summary,
  arguments: given = [],
  options = [],
  examples,
}: Command): string {
  const usage = ['surety', name, ...given.map(([argument]) => argument)].join(' ');
  const parts = [...given, ...options].map(([flags, meaning]) => `- \`${flags}\` ${meaning}`);
  return [
    `### ${usage}`,
    `${summary}.`,
    ...(parts.length > 0 ? [parts.join('\n')] : []),
    ['```sh', ...examples, '```'].join('\n'),
  ].join('\n\n');
}
