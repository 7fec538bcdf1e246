import { readFileSync } from 'node:fs';

/** package.json stands two levels above this file, in a clone as in an installed package. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
