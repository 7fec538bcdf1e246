import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { unconfined } from '../../../src/confinement/unconfined.fixture.ts';
import { DataBranches, type DataMode } from '../../../src/lanes/index.ts';
import { dataStores } from '../../../src/runtime/compose/data-stores.ts';
import { type Config, parseConfig } from '../../../src/system/index.ts';

/** Data of lanes without lanes: a directory, a configuration, and what was opened in it. */
export interface DataScene {
  readonly root: string;
  readonly data: DataBranches;
  readonly config: Config;
  /** Opens for both services, `orders` and `ledger`, unless told. */
  open(
    lane: string,
    modes: Readonly<Record<string, DataMode>>,
    services?: readonly string[],
  ): ReturnType<DataBranches['open']>;
  /** Writes a file of the lane's version. */
  write(name: string, text: string): void;
  end(): Promise<void>;
}

export function createDataScene(yaml: string): DataScene {
  const root = mkdtempSync(join(tmpdir(), 'surety-data-'));
  const config = parseConfig(yaml, { path: 'surety.yaml', environment: {} });
  const reaper = [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    join(import.meta.dirname, '../../../src/runtime/compose/reap-data.ts'),
  ];
  const directory = join(root, 'data');
  const given = { config, stores: dataStores, directory, root, reaper, confinement: unconfined };
  const data = new DataBranches(given);
  const tree = { commit: '', root, top: root };
  return {
    root,
    data,
    config,
    open: (lane, modes, services = ['orders', 'ledger']) =>
      data.open(lane, { services, modes, tree }),
    write: (name, text) => writeFileSync(join(root, name), text),
    async end() {
      await data.recover([]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** One statement, on a connection of its own. */
export async function ask<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}
