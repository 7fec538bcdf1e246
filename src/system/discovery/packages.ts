import { posix } from 'node:path';
import { type DiscoveredService, type FileDiscovery, serviceNameOf } from './found.ts';
import { programOf } from './program.ts';
import { list, type Repository, record, text } from './repository.ts';

/** Programs of package.json: each workspace that can be started, or the packages themselves. */
export function readPackages(repository: Repository): FileDiscovery {
  const services = placesOf(repository).flatMap((directory): DiscoveredService[] => {
    const where = posix.join(directory, 'package.json');
    const program = programOf(repository, directory);
    if (!repository.has(where) || program.command === undefined) return [];
    const name = text(repository.json(where).name) ?? posix.basename(directory);
    // What a workspace needs is installed at its root, for all members together.
    const install = repository.has('package-lock.json') ? 'npm ci' : program.install;
    return [{ ...program, install, name: serviceNameOf(name), directory, where }];
  });
  return { services };
}

/** Without workspaces, a root that can be started is the program; what lies below are its parts. */
function placesOf(repository: Repository): string[] {
  const workspaces = workspacesOf(repository);
  if (workspaces.length > 0) return workspaces;
  return programOf(repository, '.').command === undefined ? directoriesOf(repository) : ['.'];
}

function directoriesOf(repository: Repository): string[] {
  const manifests = repository.files().filter((file) => file.endsWith('/package.json'));
  return manifests.map((file) => posix.dirname(file));
}

function workspacesOf(repository: Repository): string[] {
  const { workspaces } = repository.json('package.json');
  const pnpm = record(repository.yaml('pnpm-workspace.yaml')[0]).packages;
  const patterns = [...list(workspaces), ...list(record(workspaces).packages), ...list(pnpm)];
  return directoriesOf(repository).filter((directory) =>
    patterns.some((pattern) => posix.matchesGlob(directory, String(pattern).replace(/\/$/, ''))),
  );
}
