import { branchFailed } from '../branch-failed.ts';
import { runSteps } from '../run-steps.ts';
import type { DataStore } from '../store.ts';
import { withRedis } from './connection.ts';
import { databaseWay } from './database-way.ts';
import { prefixWay } from './prefix-way.ts';

/** A part of the live server: it is cheap, and what a lane has is forgotten in one command. */
export const redisStore: DataStore = {
  async create(request) {
    const { store, config, mode } = request;
    try {
      const way = config.branch === 'prefix' ? prefixWay : databaseWay;
      const record = await way.take(request);
      if (mode === 'branch') await way.copy(request, record);
      await runSteps(request, record);
      return record;
    } catch (error) {
      throw failed(error, store, config.url);
    }
  },
  check: ({ url }) => withRedis(url, async (send) => void (await send('PING'))),
  async drop(record) {
    try {
      await (record.branch.startsWith('database ') ? databaseWay : prefixWay).clear(record);
    } catch (error) {
      throw failed(error, record.store, record.address);
    }
  },
};

function failed(error: unknown, store: string, address: string): Error {
  const advice = 'Look into the reason, then try again.';
  return branchFailed(error, { store, addresses: [address], advice });
}
