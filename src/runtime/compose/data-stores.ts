import { postgresStore } from '../../lanes/data/postgres/store.ts';
import { redisStore } from '../../lanes/data/redis/store.ts';
import { commandStore, type Stores } from '../../lanes/index.ts';

/** The kinds of data that lanes can have of their own. */
export const dataStores: Stores = {
  command: commandStore,
  postgres: postgresStore,
  redis: redisStore,
};
