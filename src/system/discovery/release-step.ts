import { posix } from 'node:path';
import { exampleVariables } from './example-variables.ts';
import type { DiscoveredService } from './found.ts';
import { namedPackage } from './program.ts';
import { type Repository, record } from './repository.ts';

export interface PlacedCommand {
  readonly command: string;
  readonly directory?: string | undefined;
  /** It is a package of the workspace that the command names. */
  readonly isPackage?: boolean;
}

/**
 * The `release` of a Procfile runs after the build, before the services start. Without a datastore
 * on a port it writes into files of its version, such as those of SQLite: the build of the service
 * beside it runs it. Undefined if a server has to be migrated, or if no service is beside it.
 */
export function releaseStep(
  repository: Repository,
  release: PlacedCommand,
  services: readonly DiscoveredService[],
): { readonly services: readonly DiscoveredService[] } | undefined {
  const { command, directory = '.' } = resolveScript(repository, release);
  const beside = services.find((service) => (service.directory ?? '.') === directory);
  const variables = exampleVariables(repository, directory);
  const usesServer = Object.values(variables).some((value) => serverAddress.test(value));
  if (!beside || usesServer || !usesFile(variables)) return undefined;
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`);
  const step = [...assignments, command].join(' ');
  const build = beside.build === undefined ? step : `${beside.build} && ${step}`;
  return { services: services.map((one) => (one === beside ? { ...one, build } : one)) };
}

const serverAddress = /^(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?):\/\//;

const usesFile = (variables: Readonly<Record<string, string>>): boolean =>
  Object.values(variables).some((value) => /^(?:file|sqlite3?):|\.(?:db|sqlite3?)$/.test(value));

const quoted = (value: string): string =>
  /^[\w./:@%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;

const scriptDepthMax = 4;

/** `pnpm db:migrate` may be a script that names the script of a package, and so on. */
function resolveScript(repository: Repository, placed: PlacedCommand): PlacedCommand {
  let { command, directory = '.' } = placed;
  for (let depth = 0; depth < scriptDepthMax; depth++) {
    const [, rest] = /^(?:npm|yarn|pnpm|bun)\s+(.*)$/.exec(command) ?? [];
    if (rest === undefined) break;
    directory = namedPackage(repository, command) ?? directory;
    const { scripts } = repository.json(posix.join(directory, 'package.json'));
    const words = rest.replaceAll(/(?:--filter|-F|--workspace|-w)[= ]\S+/g, '').split(/\s+/);
    const script = words.map((word) => record(scripts)[word]).find((one) => one !== undefined);
    if (typeof script !== 'string') break;
    command = script;
  }
  return { command, directory };
}
