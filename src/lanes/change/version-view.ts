import { mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfinedProgram } from '../../confinement/index.ts';
import { tryOr } from '../../kernel/index.ts';
import { isLinkedPackage } from './linked-packages.ts';
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

/** Packages of the repository that a version links to, with what is linked there in turn. */
function linkedPackages({ packages = [] }: VersionTree): string[] {
  return packages
    .filter(isLinkedPackage)
    .flatMap(({ installed }) => [installed, ...linksIn(installed)]);
}

function linksIn(packages: string): string[] {
  const entries = tryOr(() => readdirSync(packages, { withFileTypes: true }), []);
  return entries.flatMap((entry) => {
    const path = join(packages, entry.name);
    if (entry.isSymbolicLink()) return tryOr(() => [realpathSync(path)], []);
    return entry.isDirectory() && entry.name.startsWith('@') ? linksIn(path) : [];
  });
}
