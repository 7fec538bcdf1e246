import pg from 'pg';
import { sha256 } from '../../kernel/index.ts';
import { clientConfig } from './connection.ts';

export interface Appends {
  subscribe(listener: () => void): () => void;
  close(): Promise<void>;
}

const reconnectMs = 500;

/** A channel's name is at most 63 bytes; the hash keeps workspaces apart. */
export function appendChannel(workspace: string): string {
  return `surety_${sha256(workspace).slice(0, 24)}`;
}

/**
 * Tells of appends by any daemon. Connects when somebody listens first; a lost connection is made
 * again, and listeners are woken then, since something may have been appended in between.
 */
export function listenForAppends(url: string, workspace: string): Appends {
  const listeners = new Set<() => void>();
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;
  const wake = (): void => {
    for (const listener of listeners) listener();
  };

  async function connect(): Promise<void> {
    const opening = new pg.Client({ ...clientConfig(url), query_timeout: 0 });
    client = opening;
    opening.on('error', () => undefined);
    opening.on('end', again);
    opening.on('notification', wake);
    try {
      await opening.connect();
      await opening.query(`LISTEN ${pg.escapeIdentifier(appendChannel(workspace))}`);
      wake();
    } catch {
      again();
    }
  }

  function again(): void {
    client?.removeListener('end', again);
    client?.end().catch(() => undefined);
    client = undefined;
    if (closed || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      void connect();
    }, reconnectMs);
    retry.unref();
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (!client && !retry && !closed) void connect();
      return () => listeners.delete(listener);
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      client?.removeListener('end', again);
      await client?.end().catch(() => undefined);
    },
  };
}
