import { readFileSync } from 'node:fs';

interface Package {
  readonly version: string;
  readonly engines: { readonly node: string };
}

/** The package.json of Surety, in a clone as in an installed package. */
export function readPackage(): Package {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
}

export function readVersion(): string {
  return readPackage().version;
}

/** Whether a version of Node is one that package.json asks for, such as `>=22.16`. */
export function isSupportedNode(version: string): boolean {
  const parse = (text: string): readonly number[] => (text.match(/\d+/g) ?? []).map(Number);
  const [major = 0, minor = 0] = parse(version);
  const [majorMin = 0, minorMin = 0] = parse(readPackage().engines.node);
  return major > majorMin || (major === majorMin && minor >= minorMin);
}
