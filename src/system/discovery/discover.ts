import { composeFile, readCompose } from './compose.ts';
import { composeOfTiltfile, readSkaffold, readTiltfile } from './dev-tools.ts';
import {
  type DiscoveredService,
  type FileDiscovery,
  type FoundStore,
  gather,
  type ServiceSources,
} from './found.ts';
import { kubernetesFiles, readKubernetes } from './kubernetes.ts';
import { readPackages } from './packages.ts';
import { readProcfile } from './procfile.ts';
import { Repository } from './repository.ts';
import { languageOf } from './service-language.ts';

/** What the files of a repository tell about the system in it. */
export interface Discovery {
  readonly services: readonly ServiceSources[];
  readonly stores: readonly FoundStore[];
  /** In words, for people: what is missing or was left out, and why. */
  readonly unknown: readonly string[];
  /** The files that told something. */
  readonly looked: readonly string[];
}

/** Looks; nothing is started. */
export function discover(root: string): Discovery {
  const repository = new Repository(root);
  const findings = findingsOf(repository);
  const found = findings.flatMap(({ services }) => services);
  const told = findings.flatMap(({ unknown }) => unknown ?? []);
  const packages = packagesBeside(repository, found, told);
  const services = gather([...found, ...packages.taken]).map((service) => ({
    ...service,
    language: languageOf(root, service),
  }));
  return {
    services,
    stores: distinct(findings.flatMap(({ stores }) => stores ?? [])),
    unknown: [...told, ...packages.unknown],
    looked: [...new Set(services.flatMap(({ where }) => where))],
  };
}

function findingsOf(repository: Repository): FileDiscovery[] {
  const compose = composeFile(repository) ?? composeOfTiltfile(repository);
  return [
    compose === undefined ? nothing : readCompose(repository, compose),
    repository.has('Tiltfile') ? readTiltfile(repository) : nothing,
    repository.has('skaffold.yaml') ? readSkaffold(repository) : nothing,
    readKubernetes(repository, { files: kubernetesFiles(repository) }),
    repository.has('Procfile') ? readProcfile(repository) : nothing,
  ];
}

const nothing: FileDiscovery = { services: [] };

interface Packages {
  readonly taken: FileDiscovery['services'];
  readonly unknown: readonly string[];
}

/** A package adds to what others said of its directory; by itself it counts if nobody said more. */
function packagesBeside(
  repository: Repository,
  found: FileDiscovery['services'],
  told: readonly string[],
): Packages {
  const { services } = readPackages(repository);
  if (found.length === 0) return { taken: services, unknown: [] };
  const taken = services.flatMap((service) => {
    const same = sameOf(service, found);
    return same && same.directory !== undefined ? [{ ...service, name: same.name }] : [];
  });
  const others = [...new Set(found.map(({ where }) => where))].join(', ');
  const unknown = services
    .filter((service) => service.directory !== '.' && sameOf(service, found) === undefined)
    .filter(({ name }) => !told.some((text) => text.startsWith(`${name}:`)))
    .map(
      ({ name, where }) =>
        `${name}: ${where} can be started, but ${others} does not name it; left out`,
    );
  return { taken, unknown };
}

function sameOf(
  service: DiscoveredService,
  found: FileDiscovery['services'],
): DiscoveredService | undefined {
  return found.find(
    ({ name, directory }) => name === service.name || directory === service.directory,
  );
}

/** The first file that names a store says the most about it. */
function distinct(stores: readonly FoundStore[]): FoundStore[] {
  const byName = Map.groupBy(stores, ({ name }) => name);
  return [...byName.values()].flatMap(([first]) => first ?? []);
}
