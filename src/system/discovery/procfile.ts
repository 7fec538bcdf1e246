import { exampleVariables } from './example-variables.ts';
import { type DiscoveredService, type FileDiscovery, serviceNameOf } from './found.ts';
import { namedPackage, programOf, startsNode } from './program.ts';
import { type PlacedCommand, releaseStep } from './release-step.ts';
import type { Repository } from './repository.ts';
import { portInSource, portInText } from './source-port.ts';

/** Kinds of process that have no port by what they are called. */
const portless = /^(?:worker|release|clock|scheduler|cron|queue|jobs?)\b/;

const where = 'Procfile';

type Entry = PlacedCommand & { readonly name: string };

export function readProcfile(repository: Repository): FileDiscovery {
  const lines = repository.text(where).split('\n');
  const entries = lines.flatMap((line): Entry[] => {
    const [, name, command] = /^([A-Za-z][\w-]*):\s*(\S.*)$/.exec(line) ?? [];
    return name && command
      ? [{ name: serviceNameOf(name), ...placed(repository, command.trim()) }]
      : [];
  });
  const served = entries.filter(({ name }) => !portless.test(name));
  const services = served.map((entry, index) => serviceOf(repository, entry, 5_000 + 100 * index));
  const release = entries.find(({ name }) => name === 'release');
  const released = release && releaseStep(repository, release, services);
  return {
    services: released?.services ?? services,
    unknown: entries
      .filter(({ name }) => portless.test(name))
      .filter((entry) => entry !== release || released === undefined)
      .map(leftOut),
  };
}

/** As foreman gives the ports: 5000, 5100, 5200, …; a program of a Procfile heeds PORT. */
function serviceOf(repository: Repository, entry: Entry, usualPort: number): DiscoveredService {
  const { name, command, directory, isPackage } = entry;
  const environment = exampleVariables(repository, directory ?? '.');
  const request = { directory: directory ?? '.', line: command, environment };
  const program = programOf(repository, request);
  if (isPackage) {
    return { ...program, name, port: program.port ?? usualPort, where };
  }
  return {
    name,
    command: command.replaceAll(/\$\{?PORT\}?/g, String(usualPort)),
    directory,
    port: portOf(repository, entry) ?? usualPort,
    install: program.install,
    environment: program.environment,
    ...(startsNode(command) ? {} : { tagging: 'baggage' as const }),
    where,
  };
}

function leftOut({ name, command }: Entry): string {
  const told = `${name}: "${command}" in ${where} has no port of its own`;
  return name === 'release'
    ? `${told}; if it migrates a datastore, write datastores.<name>.migrations: { command: ${command} }`
    : `${told}; a worker without a port is left out`;
}

/** `cd shop && node server.js`: what comes first is only where the program lies. */
function placed(repository: Repository, line: string): PlacedCommand {
  const [, directory, command] = /^cd\s+([\w./-]+)\s*&&\s*([^&|;]+)$/.exec(line) ?? [];
  if (directory && command) return { command, directory: directory.replace(/^\.\/|\/$/g, '') };
  const member = namedPackage(repository, line);
  return member === undefined
    ? { command: line }
    : { command: line, directory: member, isPackage: true };
}

function portOf(
  repository: Repository,
  { command, directory = '.' }: PlacedCommand,
): number | undefined {
  if (/\$\{?PORT\b/.test(command)) return undefined;
  return portInText(command) ?? portInSource(repository, directory, command);
}
