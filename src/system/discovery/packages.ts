import { posix } from 'node:path';
import { type Finding, type Found, serviceNameOf } from './found.ts';
import { programOf } from './program.ts';
import { list, type Repository, record, text } from './repository.ts';

/** Programs of package.json: each workspace that can be started, or the package itself. */
export function readPackages(repository: Repository): Finding {
  const directories = workspacesOf(repository);
  const places = directories.length > 0 ? directories : ['.'];
  const services = places.flatMap((directory): Found[] => {
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

function workspacesOf(repository: Repository): string[] {
  const { workspaces } = repository.json('package.json');
  const pnpm = record(repository.yaml('pnpm-workspace.yaml')[0]).packages;
  const patterns = [...list(workspaces), ...list(record(workspaces).packages), ...list(pnpm)];
  const manifests = repository.files().filter((file) => file.endsWith('/package.json'));
  const directories = manifests.map((file) => posix.dirname(file));
  return directories.filter((directory) =>
    patterns.some((pattern) => posix.matchesGlob(directory, String(pattern).replace(/\/$/, ''))),
  );
}
