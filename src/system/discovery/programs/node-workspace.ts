import { posix } from 'node:path';
import { list, type Repository, record } from '../repository.ts';

/** Directories with a package.json, the root excepted. */
export function packageDirectories(repository: Repository): string[] {
  const manifests = repository.files().filter((file) => file.endsWith('/package.json'));
  return manifests.map((file) => posix.dirname(file));
}

/** The members of the workspace whose root is this directory; none if it is no such root. */
export function membersOf(repository: Repository, root: string): string[] {
  const { workspaces } = repository.json(posix.join(root, 'package.json'));
  const pnpm = record(repository.yaml(posix.join(root, 'pnpm-workspace.yaml'))[0]).packages;
  const patterns = [...list(workspaces), ...list(record(workspaces).packages), ...list(pnpm)];
  const plain = patterns.map((pattern) => posix.join(root, String(pattern)).replace(/\/$/, ''));
  return packageDirectories(repository).filter((directory) =>
    plain.some((pattern) => posix.matchesGlob(directory, pattern)),
  );
}

/** The root of the workspace that a directory is a member of. */
export function workspaceOf(repository: Repository, directory: string): string | undefined {
  for (let place = directory; place !== '.'; ) {
    place = posix.dirname(place);
    if (membersOf(repository, place).includes(directory)) return place;
  }
  return undefined;
}
