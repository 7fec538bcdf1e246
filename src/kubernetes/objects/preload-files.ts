import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { V1ConfigMap, V1OwnerReference } from '@kubernetes/client-node';
import type { PreloadItem } from './derive-deployment.ts';
import { laneLabel, laneName, managedLabel, manager } from './lane-labels.ts';

/** The preload as a ConfigMap, which no image has to contain. A key must not have a slash. */
export function preloadFiles(directory: string): {
  readonly items: readonly PreloadItem[];
  readonly data: Readonly<Record<string, string>>;
} {
  const paths = globSync('**/*.cjs', { cwd: directory, exclude: ['**/fixtures/**'] }).sort();
  const items = paths.map((path) => ({ key: path.replaceAll('/', '__'), path }));
  const data = items.map(({ key, path }) => [key, readFileSync(join(directory, path), 'utf8')]);
  return { items, data: Object.fromEntries(data) };
}

export function preloadName(lane: string): string {
  return `${laneName(lane)}-preload`;
}

export function preloadMap(
  lane: string,
  owner: V1OwnerReference,
  data: Readonly<Record<string, string>>,
): V1ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: preloadName(lane),
      labels: { [managedLabel]: manager, [laneLabel]: lane },
      ownerReferences: [owner],
    },
    immutable: true,
    data: { ...data },
  };
}
