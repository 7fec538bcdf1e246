import { fileURLToPath } from 'node:url';
import { DataBranches } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { WorkspacePlace } from '../place.ts';
import { dataStores } from './data-stores.ts';

/** Data of lanes, with a program that drops it when this process can't. */
export function createData({ root, data }: WorkspacePlace, config: Config): DataBranches {
  const program = new URL('./reap-data.ts', import.meta.url);
  const node = [process.execPath, '--disable-warning=ExperimentalWarning'];
  const reaper = [...node, fileURLToPath(program)];
  return new DataBranches({ config, stores: dataStores, directory: data, root, reaper });
}
