import { type Finding, serviceNameOf } from './found.ts';
import { portInText, programOf, startsNode } from './program.ts';
import type { Repository } from './repository.ts';

/** Kinds of process that have no port by what they are called. */
const portless = /^(?:worker|release|clock|scheduler|cron|queue|jobs?)\b/;

export function readProcfile(repository: Repository): Finding {
  const where = 'Procfile';
  const lines = repository.text(where).split('\n');
  const entries = lines.flatMap((line) => {
    const [, name, command] = /^([A-Za-z][\w-]*):\s*(\S.*)$/.exec(line) ?? [];
    return name && command ? [{ name: serviceNameOf(name), command: command.trim() }] : [];
  });
  const { install } = programOf(repository, '.');
  const served = entries.filter(({ name }) => !portless.test(name));
  return {
    // As foreman gives them: 5000, 5100, 5200, …; a program of a Procfile heeds PORT.
    services: served.map(({ name, command }, index) => ({
      name,
      command: command.replaceAll(/\$\{?PORT\}?/g, String(5_000 + 100 * index)),
      port: portInText(command) ?? 5_000 + 100 * index,
      install,
      ...(startsNode(command) ? {} : { tagging: 'baggage' as const }),
      where,
    })),
    unknown: entries
      .filter(({ name }) => portless.test(name))
      .map(({ name, command }) => `${name}: "${command}" in ${where} has no port of its own`),
  };
}
