import { lstatSync, mkdirSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfinedProgram } from '../../confinement/index.ts';
import { tryOr } from '../../kernel/index.ts';
import type { VersionTree } from './trees.ts';

/** What a program of a version sees when it is confined to that version. */
export function viewOf(
  tree: VersionTree,
  data: readonly string[] = [],
): Pick<ConfinedProgram, 'writable' | 'readable' | 'fixed'> {
  // Made before the program can make a link of it, since we write there.
  const own = join(tree.top, '.surety');
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const fixed = [own, join(tree.top, '.git')];
  return { writable: [tree.top, ...data], readable: linkedPackages(tree), fixed };
}

/**
 * Packages that a version uses from the repository, by a link: those of its node_modules, and
 * packages of the repository itself that are linked there. A program of the version can make a link
 * in its place that leads anywhere, so no other is followed; the install cache is shown to all.
 */
function linkedPackages({ top, root, packages: known = [] }: VersionTree): string[] {
  const links = [...new Set([top, root])].map((directory) => join(directory, 'node_modules'));
  return links.flatMap((link) => {
    const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink();
    if (!isLink) return [];
    const packages = readlinkSync(link);
    if (!known.includes(packages)) return [];
    return [packages, ...linksIn(packages)];
  });
}

function linksIn(packages: string): string[] {
  const entries = tryOr(() => readdirSync(packages, { withFileTypes: true }), []);
  return entries.flatMap((entry) => {
    const path = join(packages, entry.name);
    if (entry.isSymbolicLink()) return tryOr(() => [realpathSync(path)], []);
    return entry.isDirectory() && entry.name.startsWith('@') ? linksIn(path) : [];
  });
}
