import { fault } from '../../../kernel/index.ts';
import { laneLimits } from '../../limits.ts';
import type { Send } from './connection.ts';

const keysPerRound = 500;

/**
 * Copies the keys of the database that we are in, inside of the server. Not all at one moment: what
 * is written meanwhile may be there or not.
 */
export async function copyKeys(
  send: Send,
  store: string,
  commandFor: (key: string) => readonly (string | number)[],
  keysMax: number = laneLimits.redisBranchKeysMax,
): Promise<void> {
  const keys = Number(await send('DBSIZE'));
  if (keys > keysMax) throw fault('DATA_BRANCH_TOO_LARGE', { store, keys, keysMax });
  for await (const found of scan(send, '*')) {
    await Promise.all(found.filter(isLive).map((key) => send(...commandFor(key))));
  }
}

/** Those of other lanes are not part of the live data. */
function isLive(key: string): boolean {
  return !key.startsWith('surety:');
}

/** Keys by a pattern, some at a time; one that stays is given at least once. */
export async function* scan(send: Send, pattern: string): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const reply = await send('SCAN', cursor, 'MATCH', pattern, 'COUNT', keysPerRound);
    const [next, keys] = reply as [string, readonly string[]];
    yield keys;
    cursor = next;
  } while (cursor !== '0');
}
