import { type Command, exitCodes } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';

/** docs/cli.md, from the table of commands. */
export function cliDocument(): string {
  const groups = Map.groupBy(commands, ({ group }) => group);
  const sections = Array.from(groups, ([title, members]) =>
    [`## ${title}`, ...members.map(describe)].join('\n\n'),
  );
  return `${[introduction, ...sections].join('\n\n')}\n`;
}

const introduction = `# Commands

Every command takes \`--json\` (one JSON value per line, for scripts and agents), \`-C, --directory <path>\` (the
workspace; otherwise the nearest directory upwards with a \`surety.yaml\` or a \`.surety\`) and \`--help\`. Colour is
used on a terminal only, and never with \`NO_COLOR\`. With a token in \`SURETY_TOKEN\` a command acts as whomever that
token stands for, instead of the owner of the directory.

Exit codes: ${exitCodes.ok} done and well, ${exitCodes.bad} done but what you asked about is bad, ${exitCodes.usage} used wrongly, ${exitCodes.failed} Surety or what it
stands on failed. With \`--json\` a failure is \`{"fault": {code, message, remedy, retryable}}\`; the codes are in
[errors.md](errors.md).

This page is generated from \`src/cli/commands.ts\` by \`npm run docs\`.`;

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
