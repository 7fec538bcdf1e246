import { join, resolve } from 'node:path';
import { Confinement } from '../../confinement/index.ts';
import type { Config } from '../../system/index.ts';
import type { WorkspacePlace } from '../place.ts';

/** As surety.yaml of the directory says, whatever a version of the system says. */
export function createConfinement(
  { root, state, cache }: WorkspacePlace,
  { confine }: Pick<Config, 'confine'>,
): Confinement {
  const read = confine.read.map((path) => resolve(root, path));
  const shared = ['installs', 'go'].map((name) => join(cache, name));
  return new Confinement({ ...confine, read, state, shared });
}
