import type { Redis } from '../../shared/redis.ts';

export interface Flag {
  on: boolean;
  /** From then on the flag is off, whatever it says. */
  until?: string;
}

export interface FlagStore {
  all(): Promise<Record<string, Flag>>;
  find(name: string): Promise<Flag | undefined>;
  set(name: string, flag: Flag): Promise<void>;
  /** Those that somebody has set already stay as they are. */
  addMissing(flags: Readonly<Record<string, Flag>>): Promise<void>;
}

const KEY = 'flags';

export function createFlagStore(redis: Redis): FlagStore {
  return {
    async all() {
      const texts = (await redis.ask('HGETALL', KEY)) as string[];
      const pairs = texts.flatMap((name, index) =>
        index % 2 === 0 ? [[name, JSON.parse(texts[index + 1] as string)]] : [],
      );
      return Object.fromEntries(pairs) as Record<string, Flag>;
    },
    async find(name) {
      const text = await redis.ask('HGET', KEY, name);
      return text === null ? undefined : (JSON.parse(String(text)) as Flag);
    },
    async set(name, flag) {
      await redis.ask('HSET', KEY, name, JSON.stringify(flag));
    },
    async addMissing(flags) {
      for (const [name, flag] of Object.entries(flags)) {
        await redis.ask('HSETNX', KEY, name, JSON.stringify(flag));
      }
    },
  };
}
