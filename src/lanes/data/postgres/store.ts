import { sha256 } from '../../../kernel/index.ts';
import { branchFailed } from '../branch-failed.ts';
import { runSteps } from '../run-steps.ts';
import type { BranchRecord, BranchRequest, DataStore } from '../store.ts';
import { withDatabase } from './address.ts';
import { adviceFor } from './advice.ts';
import { createLike } from './create-like.ts';
import { readRows } from './rows.ts';
import { quoted, withSession } from './session.ts';
import { findTemplate, withTemplate } from './template.ts';

/** A database per lane on the server of the live one. */
export const postgresStore: DataStore = {
  create,
  drop,
  rows: ({ environment }) => readRows(Object.values(environment)[0] ?? ''),
  template: ({ url }) => withSession(url, findTemplate),
};

async function create(wish: BranchRequest): Promise<BranchRecord> {
  const { lane, store, config } = wish;
  const branch = branchName(wish);
  const address = config.url;
  try {
    const environment = { [config.variable]: withDatabase(address, branch) };
    const record: BranchRecord = { lane, store, branch, kind: 'postgres', address, environment };
    wish.note(record);
    await createDatabase(wish, branch);
    await runSteps(wish, record);
    return record;
  } catch (error) {
    throw branchFailed(error, { store, addresses: [address], advice: adviceFor(error) });
  }
}

function createDatabase({ config, mode }: BranchRequest, branch: string): Promise<void> {
  return withSession(config.url, async (query) => {
    if (mode === 'empty') return createLike(query, branch);
    await withTemplate(query, config, (template) =>
      query(`CREATE DATABASE ${quoted(branch)} TEMPLATE ${quoted(template)}`),
    );
  });
}

/** FORCE ends the connections of what did not stop in time. */
async function drop({ store, branch, address }: BranchRecord): Promise<void> {
  try {
    await withSession(address, (query) =>
      query(`DROP DATABASE IF EXISTS ${quoted(branch)} WITH (FORCE)`),
    );
  } catch (error) {
    throw branchFailed(error, { store, addresses: [address], advice: adviceFor(error) });
  }
}

const nameBytesMax = 63;

function branchName({ lane, store }: BranchRequest): string {
  const name = `surety_${lane}_${store}`.replaceAll(/[^A-Za-z0-9_]/g, '_').toLowerCase();
  return name.length <= nameBytesMax ? name : `surety_${sha256(name).slice(0, 32)}`;
}
