import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { sha256 } from '../../kernel/index.ts';
import { isPlainFile, membersOf } from './workspace-root.ts';

/** Files that say which packages a program needs, in the languages that people use. */
const manifests = [
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'yarn.lock',
  'bun.lock',
  '.npmrc',
  'requirements.txt',
  'pyproject.toml',
  'poetry.lock',
  'uv.lock',
  'Pipfile.lock',
  'go.mod',
  'go.sum',
  'Cargo.toml',
  'Cargo.lock',
  'Gemfile',
  'Gemfile.lock',
  'composer.lock',
  'pom.xml',
];

/** What installs make of them. */
const outputs = ['node_modules', '.venv', 'venv', 'vendor'];

/** The same for the same packages, wherever they are to be installed. */
export function manifestDigest(directory: string, root: string, command: string): string {
  const members = membersOf(directory).map((member) => join(directory, member));
  const places = [...new Set([root, directory, ...members])];
  const files = places.flatMap((place) => manifests.map((name) => join(place, name)));
  const parts = files.flatMap((file) =>
    isPlainFile(file) ? [relative(root, file), readFileSync(file, 'utf8')] : [],
  );
  const within = relative(root, directory);
  return sha256(JSON.stringify([command, within, process.version, process.arch, ...parts]));
}

const depthMax = 3;

/** Directories that an install made, named from where it ran; those of workspaces, too. */
export function installedIn(directory: string, depth = 0): string[] {
  if (depth > depthMax || !existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory() && !entry.isSymbolicLink()) return [];
    if (outputs.includes(entry.name)) return [entry.name];
    if (!entry.isDirectory() || entry.name === '.git' || entry.name === '.surety') return [];
    const below = installedIn(join(directory, entry.name), depth + 1);
    return below.map((path) => join(entry.name, path));
  });
}

/** Whether packages of the repository itself are linked there: they stay where they are. */
export function leadsOutside(installed: string): boolean {
  const names = readdirSync(installed).flatMap((name) =>
    name.startsWith('@')
      ? readdirSync(join(installed, name)).map((inner) => join(name, inner))
      : [name],
  );
  return names.some((name) => lstatSync(join(installed, name)).isSymbolicLink());
}
