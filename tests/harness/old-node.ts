import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A Node on this machine that is too old for Surety; the one on Debian's PATH usually is. */
export function findOldNode(): string | undefined {
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  const nodes = places.map((place) => join(place, 'node')).filter(existsSync);
  return nodes.find((node) => {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' });
    return Number.parseInt(version.slice(1), 10) < 22;
  });
}
