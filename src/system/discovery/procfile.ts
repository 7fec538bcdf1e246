import { type FileDiscovery, serviceNameOf } from './found.ts';
import { portInSource, portInText, programOf, startsNode } from './program.ts';
import type { Repository } from './repository.ts';

/** Kinds of process that have no port by what they are called. */
const portless = /^(?:worker|release|clock|scheduler|cron|queue|jobs?)\b/;

export function readProcfile(repository: Repository): FileDiscovery {
  const where = 'Procfile';
  const lines = repository.text(where).split('\n');
  const entries = lines.flatMap((line) => {
    const [, name, command] = /^([A-Za-z][\w-]*):\s*(\S.*)$/.exec(line) ?? [];
    return name && command ? [{ name: serviceNameOf(name), ...placed(command.trim()) }] : [];
  });
  const served = entries.filter(({ name }) => !portless.test(name));
  return {
    // As foreman gives them: 5000, 5100, 5200, …; a program of a Procfile heeds PORT.
    services: served.map(({ name, command, directory }, index) => ({
      name,
      command: command.replaceAll(/\$\{?PORT\}?/g, String(5_000 + 100 * index)),
      directory,
      port: portOf(repository, { command, directory }) ?? 5_000 + 100 * index,
      install: programOf(repository, directory ?? '.').install,
      ...(startsNode(command) ? {} : { tagging: 'baggage' as const }),
      where,
    })),
    unknown: entries
      .filter(({ name }) => portless.test(name))
      .map(({ name, command }) => `${name}: "${command}" in ${where} has no port of its own`),
  };
}

interface PlacedCommand {
  readonly command: string;
  readonly directory?: string | undefined;
}

/** `cd shop && node server.js`: what comes first is only where the program lies. */
function placed(line: string): PlacedCommand {
  const [, directory, command] = /^cd\s+([\w./-]+)\s*&&\s*([^&|;]+)$/.exec(line) ?? [];
  return directory && command
    ? { command, directory: directory.replace(/^\.\/|\/$/g, '') }
    : { command: line };
}

function portOf(
  repository: Repository,
  { command, directory = '.' }: PlacedCommand,
): number | undefined {
  if (/\$\{?PORT\b/.test(command)) return undefined;
  return portInText(command) ?? portInSource(repository, directory, command);
}
