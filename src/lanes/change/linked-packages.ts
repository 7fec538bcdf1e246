import { existsSync, lstatSync, readlinkSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { tryOr } from '../../kernel/index.ts';
import { git } from './git.ts';

/** A `node_modules` of a version, and the one of the user's checkout that it may link to. */
export interface PackageLink {
  readonly link: string;
  readonly installed: string;
}

interface LinkingVersion {
  /** The top of its checkout. */
  readonly top: string;
  readonly packages?: readonly PackageLink[];
}

/**
 * Where the user has installed packages: beside surety.yaml, at the top of the checkout, and beside
 * each package.json that git knows. Installed packages are not part of a commit, so versions use
 * these.
 */
export async function findInstalledPackages(top: string, root: string): Promise<string[]> {
  const words = ['ls-files', '-z', '--', ':(top,glob)**/package.json'];
  const manifests = (await git(top, words)).split('\0').filter((path) => path !== '');
  const folders = manifests.map((path) => join(top, dirname(path)));
  return [...new Set([top, root, ...folders])].map(packagesIn).filter((path) => existsSync(path));
}

/** Makes the links that a new version does not have yet. */
export function linkPackages({ top, packages }: LinkingVersion): void {
  for (const { link, installed } of packages ?? []) {
    if (isPlainFolder(dirname(link), top) && !isThere(link)) symlinkSync(installed, link);
  }
}

/** Where a version at `to` would link to what is installed in the checkout at `top`. */
export function packageLinks(installed: readonly string[], top: string, to: string): PackageLink[] {
  return installed.map((path) => ({ installed: path, link: join(to, relative(top, path)) }));
}

/** A program of the version can make a link of its own that leads anywhere: no such one counts. */
export function isLinkedPackage({ link, installed }: PackageLink): boolean {
  const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink && readlinkSync(link) === installed;
}

const packagesIn = (directory: string): string => join(directory, 'node_modules');

/** A change may turn a folder into a link that leads out of its version. */
function isPlainFolder(folder: string, top: string): boolean {
  const real = tryOr(() => realpathSync(folder), null);
  return real === join(realpathSync(top), relative(top, folder));
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
