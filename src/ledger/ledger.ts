import {
  type Actor,
  type Fault,
  fault,
  type Json,
  type RandomBytes,
  type Redact,
  type SigningKey,
} from '../kernel/index.ts';
import type { Content, Entry, Head } from './api-schema.ts';
import type { Draft, Request } from './batch-draft.ts';
import { checkSubject, readContent } from './content.ts';
import { readEntry } from './entry.ts';
import {
  acknowledgedKind,
  CheckpointSigner,
  type LostHistory,
  type SignerDeps,
} from './history/index.ts';
import { ledgerLimits } from './limits.ts';
import { type Projection, Projections } from './projection.ts';
import { readRow } from './read-row.ts';
import type { Store } from './store.ts';
import { Writer } from './writer.ts';

export interface LedgerDeps extends SignerDeps {
  readonly random: RandomBytes;
  readonly redact: Redact;
  readonly projections: readonly Projection[];
}

/** The one durable place for what happened in a workspace. */
export interface Ledger {
  readonly workspace: string;
  /** Decides over locked rows and writes what was decided; resolves when it is durable. */
  transact<Result>(request: Request<Result>): Promise<Result>;
  append(...drafts: Draft[]): Promise<readonly Entry[]>;
  head(): Promise<Head>;
  entries(from: number, limit: number): Promise<readonly Entry[]>;
  entry(seq: number): Promise<Entry>;
  contents(seq: number): Promise<readonly Content[]>;
  /** The rows whose key starts with `prefix`, in order of their keys. */
  rows<Value extends Json>(prefix: string): AsyncIterable<{ key: string; value: Value }>;
  /**
   * A row as this process last saw it, without a way to the store if it was in use. Another process
   * may have changed it since: for what a transaction checks again.
   */
  recentRow<Value extends Json>(key: string): Promise<Value | undefined>;
  /** Every entry from `from` on, and then each new one until `signal` aborts. */
  tail(from: number, signal: AbortSignal): AsyncIterable<Entry>;
  /** Destroys all contents about `subject`; the chain stays whole. */
  shred(subject: string, actor: Actor): Promise<Entry>;
  checkpoint(): Promise<void>;
  /** Why nothing is written any more: somebody else changed the chain. Null if it is sound. */
  divergence(): Fault | null;
  close(): Promise<void>;
}

export async function openLedger(deps: LedgerDeps): Promise<Ledger> {
  const { store } = deps;
  const checkpoints = new CheckpointSigner(deps);
  const lost = await checkpoints.start();
  const writer = new Writer({
    ...deps,
    projections: new Projections([announcedKeys, ...deps.projections]),
    beforeBatch: () => checkpoints.beforeBatch(),
    onCommit: (before, head) => checkpoints.after(before, head),
  });
  const append = (...drafts: Draft[]): Promise<readonly Entry[]> =>
    writer.submit({ keys: [], decide: () => ({ drafts, result: (entries) => entries }) });
  await announceKey(writer, deps.key);
  if (lost) {
    await append(acknowledgementDraft(lost, deps));
    await checkpoints.now();
  }

  return {
    workspace: store.workspace,
    transact: (request) => writer.submit(request),
    append,
    head: async () => {
      await writer.flush();
      return store.head();
    },
    entries: async (from, limit) => {
      await writer.flush();
      return (await store.entries(from, limit)).map(readEntry);
    },
    entry: (seq) => findEntry(store, seq),
    contents: async (seq) => (await store.contents(seq)).map(readContent),
    rows: (prefix) => readRows(writer, store, prefix),
    recentRow: async <Value extends Json>(key: string) =>
      writer.recall<Value>(key) ??
      (await readRow<Value>({ rows: (prefix) => readRows(writer, store, prefix) }, key)),
    tail: (from, signal) => tail(store, from, signal),
    shred: (subject, actor) => shred(append, subject, actor),
    checkpoint: () => checkpoints.now(),
    divergence: () => checkpoints.divergence,
    close: async () => {
      await writer.close();
      await checkpoints.now().catch((error) => deps.onCheckpointError?.(error));
      await store.close();
    },
  };
}

const keyRow = (id: string): string => `key/${id}`;
const workspaceRow = 'workspace';

/** The keys that sign this chain: each is announced once, the first by `workspace-created`. */
export const announcedKeys: Projection = {
  kinds: ['workspace-created', 'key-announced'],
  keys: (entry) => [keyRow(String(entry.body.keyId)), workspaceRow],
  apply: (rows, { kind, seq, at, body }) => {
    rows.set(keyRow(String(body.keyId)), { seq });
    if (kind === 'workspace-created') rows.set(workspaceRow, { createdAt: at });
  },
};

async function announceKey(writer: Writer, key: SigningKey): Promise<void> {
  await writer.submit({
    keys: [keyRow(key.id), workspaceRow],
    decide: (rows) => {
      if (rows.get(keyRow(key.id))) return { drafts: [], result: () => undefined };
      const kind = rows.get(workspaceRow) ? 'key-announced' : 'workspace-created';
      const body = { keyId: key.id, publicKey: key.publicPem };
      return { drafts: [{ kind, actor: 'surety:ledger', body }], result: () => undefined };
    },
  });
}

/** What was lost, what was found instead, and who accepts it: `verify` reads this. */
function acknowledgementDraft(lost: LostHistory, { acknowledgement }: LedgerDeps): Draft {
  const { actor, reason } = acknowledgement ?? { actor: 'surety:ledger', reason: '' };
  const contents = [{ name: 'reason', subject: actor, value: reason }];
  return { kind: acknowledgedKind, actor, body: { ...lost }, contents };
}

async function findEntry(store: Store, seq: number): Promise<Entry> {
  const [found] = await store.entries(seq, 1);
  if (found?.seq !== seq) throw fault('NOT_FOUND', { what: `entry ${seq}` });
  return readEntry(found);
}

async function* readRows<Value extends Json>(
  writer: Writer,
  store: Store,
  prefix: string,
): AsyncGenerator<{ key: string; value: Value }> {
  await writer.flush();
  for await (const page of store.scanRows(prefix)) {
    for (const { key, value } of page) yield { key, value: JSON.parse(value) as Value };
  }
}

async function shred(append: Ledger['append'], subject: string, actor: Actor): Promise<Entry> {
  checkSubject(subject);
  const draft: Draft = { kind: 'content-shredded', actor, body: { subject }, shred: subject };
  const [entry] = await append(draft);
  return entry as Entry;
}

async function* tail(store: Store, from: number, signal: AbortSignal): AsyncGenerator<Entry> {
  let next = from;
  let wake = (): void => undefined;
  let appended = false;
  const stopListening = store.onAppend(() => {
    appended = true;
    wake();
  });
  signal.addEventListener('abort', () => wake(), { once: true });
  try {
    while (!signal.aborted) {
      appended = false;
      const page = await store.entries(next, ledgerLimits.scanPageEntries);
      for (const stored of page) yield readEntry(stored);
      next = (page.at(-1)?.seq ?? next - 1) + 1;
      if (page.length > 0 || appended || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    stopListening();
  }
}
