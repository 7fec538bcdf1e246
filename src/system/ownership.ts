import { posix } from 'node:path';
import type { Config } from './complete.ts';

/** The services to which files belong, by their paths. A path is a file or a folder. */
export function servicesOf(config: Pick<Config, 'services'>, files: readonly string[]): string[] {
  return Object.entries(config.services)
    .filter(([, { paths }]) => paths.some((path) => files.some((file) => isWithin(file, path))))
    .map(([service]) => service);
}

export function isWithin(file: string, path: string): boolean {
  const clean = plainPath(path);
  return clean === '' || file === clean || file.startsWith(`${clean}/`);
}

/** However it was written, also as a pattern for all that a folder holds; empty for everything. */
export function plainPath(path: string): string {
  const clean = posix.normalize(path.replace(/(^|\/)\*{1,2}$/, '')).replace(/^\/+|\/+$/g, '');
  return clean === '.' ? '' : clean;
}
