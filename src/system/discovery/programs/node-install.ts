import { posix } from 'node:path';
import { record } from '../repository.ts';
import { membersOf, workspaceOf } from './node-workspace.ts';
import { type ProgramPlace, textIn } from './program-place.ts';

/** The lock file decides which package manager installs; that of a workspace is at its root. */
export function nodeInstall(place: ProgramPlace): string | undefined {
  const { repository, directory } = place;
  const root = workspaceOf(repository, directory);
  const locked = [directory, ...(root === undefined ? [] : [root])].find((folder) =>
    lockFiles.some(([name]) => repository.has(posix.join(folder, name))),
  );
  if (locked !== undefined) return lockedInstall({ ...place, directory: locked });
  const manifest = repository.json(posix.join(directory, 'package.json'));
  const needsPackages = ['dependencies', 'devDependencies'].some(
    (key) => Object.keys(record(manifest[key])).length > 0,
  );
  return needsPackages ? 'npm install --no-audit --no-fund' : undefined;
}

const lockFiles: readonly (readonly [string, (place: ProgramPlace) => string])[] = [
  ['package-lock.json', () => 'npm ci'],
  ['npm-shrinkwrap.json', () => 'npm ci'],
  ['pnpm-lock.yaml', (place) => `${managerOf(place, 'pnpm')} install --frozen-lockfile`],
  ['yarn.lock', yarnInstall],
  ['bun.lock', (place) => `${managerOf(place, 'bun')} install --frozen-lockfile`],
];

function lockedInstall(place: ProgramPlace): string | undefined {
  const { repository, directory } = place;
  const found = lockFiles.find(([name]) => repository.has(posix.join(directory, name)));
  return found?.[1](place);
}

function yarnInstall(place: ProgramPlace): string {
  const isModern = place.repository.has(posix.join(place.directory, '.yarnrc.yml'));
  return `${managerOf(place, 'yarn')} install ${isModern ? '--immutable' : '--frozen-lockfile'}`;
}

/** A machine without the package manager runs it by npx, as the lock file needs it. */
function managerOf(place: ProgramPlace, manager: 'pnpm' | 'yarn' | 'bun'): string {
  if (place.hasTool(manager)) return manager;
  const manifest = place.repository.json(posix.join(place.directory, 'package.json'));
  const [, named] =
    new RegExp(`^${manager}@(\\d[\\w.-]*)`).exec(String(manifest.packageManager)) ?? [];
  const version = named ?? (manager === 'pnpm' ? pnpmVersion(place) : undefined);
  return `npx --yes ${manager}${version === undefined ? '' : `@${version}`}`;
}

/** Versions of pnpm by those of its lock files. */
function pnpmVersion(place: ProgramPlace): string {
  const lock = /^lockfileVersion:\s*'?(\d+)/m.exec(textIn(place, 'pnpm-lock.yaml'))?.[1];
  return lock === '5' ? '7' : lock === '6' ? '8' : '9';
}

/** Builds of the packages of the workspace that this one uses, those first that others use. */
export function sharedBuilds(place: ProgramPlace): string[] {
  const { repository, directory } = place;
  const root = workspaceOf(repository, directory);
  if (root === undefined) return [];
  const members = new Map(
    membersOf(repository, root).map((folder) => {
      const manifest = repository.json(posix.join(folder, 'package.json'));
      return [String(manifest.name), { folder, manifest }];
    }),
  );
  const ordered: string[] = [];
  const visit = (manifest: Record<string, unknown>, above: readonly string[]): void => {
    const needed = { ...record(manifest.devDependencies), ...record(manifest.dependencies) };
    for (const name of Object.keys(needed)) {
      const member = members.get(name);
      if (!member || above.includes(name) || ordered.includes(member.folder)) continue;
      visit(member.manifest, [...above, name]);
      if (record(member.manifest.scripts).build !== undefined) ordered.push(member.folder);
    }
  };
  visit(repository.json(posix.join(directory, 'package.json')), []);
  return ordered.map((folder) => `(cd ${posix.relative(directory, folder)} && npm run build)`);
}
