import { fault } from '../../../kernel/index.ts';
import type { BranchRecord, BranchRequest } from '../store.ts';
import { databaseOf, type Send, withDatabase, withRedis } from './connection.ts';
import { copyKeys } from './copy-keys.ts';
import type { Way } from './way.ts';

/** In each database that a lane has: whose it is, for other daemons on the same server. */
const claimKey = 'surety:lane';

/** One logical database per lane, out of the server's (16 by default). */
export const databaseWay: Way = { take, copy, clear };

async function take(wish: BranchRequest): Promise<BranchRecord> {
  const { lane, config, store } = wish;
  return withRedis(config.url, async (send) => {
    // A database that an application has flushed looks free, so the records of our own lanes count
    // as well.
    const taken = wish.others().map(({ branch }) => branch);
    for (let database = 0; await isThere(send, database); database += 1) {
      const branch = `database ${database}`;
      if (database === databaseOf(config.url) || taken.includes(branch)) continue;
      const address = withDatabase(config.url, database);
      const record = { lane, store, branch, kind: 'redis', address, environment: {} } as const;
      wish.note(record);
      if (!(await claim(send, lane))) continue;
      const made = { ...record, environment: { [config.variable]: address } };
      wish.note(made);
      return made;
    }
    throw fault('DATA_BRANCHES_USED_UP', { store });
  });
}

/** Also moves there: the commands that follow are about this database. */
async function isThere(send: Send, database: number): Promise<boolean> {
  try {
    await send('SELECT', database);
    return true;
  } catch (error) {
    if (/out of range|invalid DB index/i.test((error as Error).message)) return false;
    throw error;
  }
}

async function claim(send: Send, lane: string): Promise<boolean> {
  if ((await send('SET', claimKey, lane, 'NX')) !== 'OK') return false;
  // Only after the claim is it certain that no other lane takes the database between the check and
  // its use.
  if ((await send('DBSIZE')) === 1) return true;
  await send('DEL', claimKey);
  return false;
}

async function copy({ store, config }: BranchRequest, { address }: BranchRecord): Promise<void> {
  const database = databaseOf(address);
  await withRedis(config.url, (send) =>
    copyKeys(send, store, (key) => ['COPY', key, key, 'DB', database]),
  );
}

/** What was noted but then turned out to be somebody else's is left to them. */
async function clear({ lane, address, environment }: BranchRecord): Promise<void> {
  const wasTaken = Object.keys(environment).length > 0;
  await withRedis(address, async (send) => {
    const owner = await send('GET', claimKey);
    if (owner === lane || (owner === null && wasTaken)) await send('FLUSHDB');
  });
}
