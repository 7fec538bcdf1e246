import type { BranchRecord, BranchRequest } from '../store.ts';
import { withRedis } from './connection.ts';
import { copyKeys, scan } from './copy-keys.ts';
import type { Way } from './way.ts';

/**
 * Keys that begin with the lane's name, in the live database: for servers with one database only.
 * It is up to the application to put the prefix that it is given before every key.
 */
export const prefixWay: Way = { take, copy, clear };

async function take({ lane, store, config, note }: BranchRequest): Promise<BranchRecord> {
  const branch = `surety:${lane}:`;
  const { url: address, variable } = config;
  const environment = { [variable]: address, [`${variable}_PREFIX`]: branch };
  const record = { lane, store, branch, kind: 'redis', address, environment } as const;
  note(record);
  return record;
}

async function copy({ store }: BranchRequest, { address, branch }: BranchRecord): Promise<void> {
  await withRedis(address, (send) =>
    copyKeys(send, store, (key) => ['COPY', key, branch + key, 'REPLACE']),
  );
}

async function clear({ address, branch }: BranchRecord): Promise<void> {
  await withRedis(address, async (send) => {
    for await (const keys of scan(send, `${branch}*`)) {
      if (keys.length > 0) await send('UNLINK', ...keys);
    }
  });
}
