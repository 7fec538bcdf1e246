import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';

/**
 * Where package managers put what a directory needs: at the root of the workspace that it is a
 * member of, for all members together; else in the directory itself.
 */
export function workspaceRoot(directory: string, top: string): string {
  for (let place = directory; place !== top && place.startsWith(top); ) {
    place = dirname(place);
    if (isMember(relative(place, directory), patternsOf(place))) return place;
  }
  return directory;
}

const depthMax = 3;

/** The directories of the packages that are installed together with those of a root. */
export function membersOf(root: string): string[] {
  const patterns = patternsOf(root);
  const below = patterns.length === 0 ? [] : directoriesIn(root, depthMax);
  return below.filter((directory) => isMember(directory, patterns)).toSorted();
}

/** An install for all members, and nothing else; another command has to run where it says. */
export function installsAllMembers(command: string): boolean {
  return /^(?:npx (?:--yes |-y )?)?(?:npm|pnpm|yarn|bun)\b[^&|;]*$/.test(command.trim());
}

function isMember(directory: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => posix.matchesGlob(directory, pattern));
}

function patternsOf(directory: string): string[] {
  const given = [...inManifest(directory), ...inPnpm(directory)];
  return given.map((pattern) => pattern.replace(/^\.\//, '').replace(/\/$/, ''));
}

/** Not a pipe or a device that an install has put there: reading one would never end. */
export function isPlainFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function inManifest(directory: string): string[] {
  const file = join(directory, 'package.json');
  if (!isPlainFile(file)) return [];
  try {
    const { workspaces } = JSON.parse(readFileSync(file, 'utf8'));
    const patterns: unknown = Array.isArray(workspaces) ? workspaces : workspaces?.packages;
    return Array.isArray(patterns) ? patterns.map(String) : [];
  } catch {
    // None there, or none that a package manager could read either.
    return [];
  }
}

function inPnpm(directory: string): string[] {
  const file = join(directory, 'pnpm-workspace.yaml');
  if (!isPlainFile(file)) return [];
  const [, listed = ''] = /^packages:((?:\s+-[^\n]*)*)/m.exec(readFileSync(file, 'utf8')) ?? [];
  return [...listed.matchAll(/-\s*['"]?([^'"\s#]+)/g)].map(([, pattern = '']) => pattern);
}

function directoriesIn(root: string, depth: number, within = ''): string[] {
  if (depth === 0) return [];
  const entries = readdirSync(join(root, within), { withFileTypes: true });
  return entries.flatMap((entry) => {
    if (!entry.isDirectory() || entry.name === 'node_modules' || entry.name.startsWith('.'))
      return [];
    const path = posix.join(within, entry.name);
    return [path, ...directoriesIn(root, depth - 1, path)];
  });
}
