import { composeFile, readCompose } from './compose.ts';
import { composeOfTiltfile, readSkaffold, readTiltfile } from './dev-tools.ts';
import { type Finding, type FoundStore, gather, type Known } from './found.ts';
import { kubernetesFiles, readKubernetes } from './kubernetes.ts';
import { readPackages } from './packages.ts';
import { readProcfile } from './procfile.ts';
import { Repository } from './repository.ts';

/** What the files of a repository tell about the system in it. */
export interface Discovery {
  readonly services: readonly Known[];
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
  const services = gather([...found, ...packagesBeside(repository, found)]);
  return {
    services,
    stores: distinct(findings.flatMap(({ stores }) => stores ?? [])),
    unknown: findings.flatMap(({ unknown }) => unknown ?? []),
    looked: [...new Set(services.flatMap(({ where }) => where))],
  };
}

function findingsOf(repository: Repository): Finding[] {
  const compose = composeFile(repository) ?? composeOfTiltfile(repository);
  return [
    compose === undefined ? nothing : readCompose(repository, compose),
    repository.has('Tiltfile') ? readTiltfile(repository) : nothing,
    repository.has('skaffold.yaml') ? readSkaffold(repository) : nothing,
    readKubernetes(repository, { files: kubernetesFiles(repository) }),
    repository.has('Procfile') ? readProcfile(repository) : nothing,
  ];
}

const nothing: Finding = { services: [] };

/** A package adds to what others said of its directory; by itself it counts if nobody said more. */
function packagesBeside(
  repository: Repository,
  found: readonly Finding['services'][number][],
): Finding['services'] {
  const { services } = readPackages(repository);
  if (found.length === 0) return services;
  return services.flatMap((service) => {
    const same = found.find(
      ({ name, directory }) => name === service.name || directory === service.directory,
    );
    return same && same.directory !== undefined ? [{ ...service, name: same.name }] : [];
  });
}

function distinct(stores: readonly FoundStore[]): FoundStore[] {
  return [...new Map(stores.map((store) => [store.name, store])).values()];
}
