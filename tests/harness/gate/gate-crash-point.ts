import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../../../src/ledger/index.ts';
import type { StoreSession } from '../../../src/ledger/store.ts';

/** Where in its life a process is killed: around the nth commit with such an entry, or the call. */
export interface CrashPoint {
  readonly at: 'before' | 'during' | 'after';
  /** The kind of an entry, or the method and path of a call. */
  readonly of: string;
  readonly nth: number;
  /** SIGSTOP only pauses it: somebody else has to let it go on. */
  readonly signal?: 'SIGKILL' | 'SIGSTOP';
}

export type Reach = (at: CrashPoint['at'], what: readonly string[]) => void;

/** Tells, and is gone: nothing that was under way gets any further. */
export function crasher(point: CrashPoint | null): Reach {
  let times = 0;
  return (at, what) => {
    if (point?.at !== at || !what.includes(point.of) || ++times !== point.nth) return;
    writeSync(1, `${JSON.stringify({ killed: `${at} ${point.of}` })}\n`);
    process.kill(process.pid, point.signal ?? 'SIGKILL');
  };
}

/** The store as it is, until the moment of the crash. */
export function crashingStore(store: Store, reach: Reach): Store {
  const crashing = (session: StoreSession): StoreSession => ({
    ...session,
    commit: async (batch) => {
      const kinds = batch.entries.map(({ kind }) => kind);
      reach('before', kinds);
      await around(session.commit(batch), kinds, reach);
    },
  });
  const { beginAfter } = store;
  return {
    ...store,
    begin: async (keys) => crashing(await store.begin(keys)),
    ...(beginAfter
      ? { beginAfter: async (head, keys) => crashing(await beginAfter(head, keys)) }
      : {}),
  };
}

export function crashingFetch(fetched: typeof fetch, reach: Reach): typeof fetch {
  return async (input, init) => {
    const { pathname } = new URL(String(input));
    const shape = pathname.replace(/^\/effects\/[^/]+/, '/effects/{key}');
    const what = [`${init?.method ?? 'GET'} ${shape}`];
    reach('before', what);
    return around(fetched(input, init), what, reach);
  };
}

/** `during`: it was sent, and perhaps has happened. */
async function around<Result>(
  work: Promise<Result>,
  what: readonly string[],
  reach: Reach,
): Promise<Result> {
  void delay(1).then(() => reach('during', what));
  const result = await work;
  reach('after', what);
  return result;
}
