import type { Config } from './complete.ts';

/** The services to which files belong, by their paths. A path is a file or a folder. */
export function servicesOf(config: Config, files: readonly string[]): string[] {
  return Object.entries(config.services)
    .filter(([, { paths }]) => paths.some((path) => files.some((file) => isWithin(file, path))))
    .map(([service]) => service);
}

export function isWithin(file: string, path: string): boolean {
  const clean = path.replace(/^\.\//, '').replace(/\/+$/, '');
  return clean === '.' || clean === '' || file === clean || file.startsWith(`${clean}/`);
}
