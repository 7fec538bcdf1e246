import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** An older Node on this machine, as services may have it; the one on Debian's PATH usually is. */
export function findOldNode(): string | undefined {
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  const nodes = places.map((place) => join(place, 'node')).filter(existsSync);
  return nodes.find((node) => {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' });
    const major = Number.parseInt(version.slice(1), 10);
    return major >= 18 && major < 22;
  });
}

/** The Nodes of services: ours, and an older one if this machine has one. */
export const serviceNodes: readonly string[] = [process.execPath, findOldNode() ?? []].flat();
