import { sha256, toFault, type VerifyingKey, verifyingKey, zeroHash } from '../kernel/index.ts';
import type { Head } from './api-schema.ts';
import { type Checkpoint, isSignedBy } from './checkpoint.ts';
import { ContentCheck } from './content-check.ts';
import { headerText, type StoredEntry } from './entry.ts';
import type { LedgerProblem, ProblemKind } from './problem.ts';
import type { StoreReader } from './store.ts';

export interface Verification {
  readonly workspace: string;
  readonly entries: number;
  readonly head: Head;
  readonly problem: LedgerProblem | null;
  /** Checkpoints whose signature was checked with a key that the verifier brought along. */
  readonly checkpointsTrusted: number;
  /** Checkpoints signed by a key that only the chain itself names. */
  readonly checkpointsAnnounced: number;
}

export interface VerifyOptions {
  readonly trustedKeys: readonly VerifyingKey[];
  /** An anchor kept elsewhere: the chain must have had this hash at this entry. */
  readonly expected?: { readonly seq: number; readonly hash: string };
  readonly onProgress?: (entries: number) => void;
}

/** What a verification reads: a store, or an export file. */
export type Verifiable = Pick<
  StoreReader,
  'workspace' | 'head' | 'scanEntries' | 'scanContents' | 'checkpoints'
> &
  Partial<Pick<StoreReader, 'damage'>>;

export async function verifyLedger(
  source: Verifiable,
  options: VerifyOptions,
): Promise<Verification> {
  const check = new ChainCheck(source.workspace, options);
  try {
    check.expectCheckpoints(await source.checkpoints());
    const contents = new ContentCheck(source.scanContents(0));
    for await (const page of source.scanEntries(0)) {
      check.page(page);
      if (!check.problem) check.problem = await contents.page(page);
      if (check.problem) break;
      options.onProgress?.(check.head.seq);
    }
    check.end(await source.head());
    check.problem ??= await contents.end();
    if (!check.problem) check.damaged((await source.damage?.()) ?? null);
  } catch (error) {
    check.unreadable(toFault(error).message);
  }
  return check.result();
}

/** Follows the chain from its first entry; memory does not grow with it. */
class ChainCheck {
  readonly #workspace: string;
  readonly #options: VerifyOptions;
  readonly #trusted: Map<string, VerifyingKey>;
  readonly #announced = new Map<string, VerifyingKey>();
  #checkpoints: Checkpoint[] = [];
  #trustedCount = 0;
  #announcedCount = 0;
  head: Head = { seq: 0, at: 0, hash: zeroHash };
  problem: LedgerProblem | null = null;

  constructor(workspace: string, options: VerifyOptions) {
    this.#workspace = workspace;
    this.#options = options;
    this.#trusted = new Map(options.trustedKeys.map((key) => [key.id, key]));
  }

  expectCheckpoints(checkpoints: readonly Checkpoint[]): void {
    this.#checkpoints = [...checkpoints].sort((a, b) => b.seq - a.seq);
  }

  page(page: readonly StoredEntry[]): void {
    for (const entry of page) {
      this.problem = this.#entryProblem(entry);
      if (this.problem) {
        this.problem = this.#moved(page, entry) ?? this.problem;
        return;
      }
      this.head = entry;
      this.#learnKey(entry);
      this.problem = this.#anchorProblem(entry);
      if (this.problem) return;
    }
  }

  #entryProblem(entry: StoredEntry): LedgerProblem | null {
    const { seq, hash } = this.head;
    if (entry.seq !== seq + 1) return gap(seq + 1, entry);
    // The workspace is part of what is hashed: an entry of another chain can't be put in.
    if (entry.workspace !== this.#workspace || sha256(headerText(entry)) !== entry.hash) {
      return problem(entry.seq, 'edited', 'its hash does not fit its time, kind, actor or place');
    }
    if (entry.prev !== hash) {
      const detail = `it was written to follow another entry than the ${seq} that stands before it`;
      return problem(entry.seq, 'reordered', detail);
    }
    if (sha256(entry.salt + entry.body) !== entry.digest) {
      return problem(entry.seq, 'edited', 'its body does not fit its digest');
    }
    return null;
  }

  /** The entry that belongs here may be whole, but stand somewhere else. */
  #moved(page: readonly StoredEntry[], found: StoredEntry): LedgerProblem | null {
    const workspace = this.#workspace;
    const seq = this.head.seq + 1;
    const moved = page.find(
      (entry) =>
        entry !== found &&
        entry.prev === this.head.hash &&
        entry.hash === sha256(headerText({ ...entry, workspace, seq })),
    );
    return moved
      ? problem(seq, 'reordered', `it stands elsewhere, under number ${moved.seq}`)
      : null;
  }

  /** Keys that other daemons of the workspace brought along are announced on the chain. */
  #learnKey(entry: StoredEntry): void {
    if (entry.kind !== 'key-announced' && entry.kind !== 'workspace-created') return;
    const { publicKey } = JSON.parse(entry.body) as { publicKey?: string };
    if (publicKey === undefined) return;
    const key = verifyingKey(publicKey);
    this.#announced.set(key.id, key);
  }

  #anchorProblem(entry: StoredEntry): LedgerProblem | null {
    const { expected } = this.#options;
    if (expected?.seq === entry.seq && expected.hash !== entry.hash) {
      return problem(entry.seq, 'rewritten', `the anchor says its hash was ${expected.hash}`);
    }
    while (this.#checkpoints.at(-1)?.seq === entry.seq) {
      const found = this.#checkpointProblem(this.#checkpoints.pop() as Checkpoint, entry);
      if (found) return found;
    }
    return null;
  }

  #checkpointProblem(checkpoint: Checkpoint, entry: StoredEntry): LedgerProblem | null {
    const key = this.#trusted.get(checkpoint.keyId) ?? this.#announced.get(checkpoint.keyId);
    if (!key || !isSignedBy(key, this.#workspace, checkpoint)) {
      const detail = `the checkpoint here bears no valid signature of key ${checkpoint.keyId}`;
      return problem(entry.seq, 'checkpoint-invalid', detail);
    }
    if (checkpoint.hash !== entry.hash) {
      const detail = 'a signed checkpoint says that the chain had another hash here';
      return problem(entry.seq, 'rewritten', detail);
    }
    if (this.#trusted.has(checkpoint.keyId)) this.#trustedCount++;
    else this.#announcedCount++;
    return null;
  }

  /** The chain is sound as far as it goes; does it go as far as it once did? */
  end(stored: Head): void {
    if (this.problem) return;
    const { seq, at, hash } = this.head;
    const { expected } = this.#options;
    const known = Math.max(stored.seq, this.#checkpoints[0]?.seq ?? 0, expected?.seq ?? 0);
    if (known > seq) {
      const detail = `the chain once went to ${known} and now ends at ${seq}`;
      this.problem = problem(seq + 1, 'truncated', detail);
    } else if (stored.seq < seq) {
      const detail = `the ledger's head says that the chain ends at ${stored.seq}`;
      this.problem = problem(stored.seq + 1, 'appended', detail);
    } else if (stored.hash !== hash || stored.at !== at) {
      this.problem = problem(seq, 'edited', "the ledger's head knows it by another hash or time");
    }
  }

  /** Every entry could be read; what is broken stands beside them. */
  damaged(damage: string | null): void {
    if (damage !== null) this.unreadable(`the file is damaged beside the chain: ${damage}`);
  }

  unreadable(reason: string): void {
    this.problem ??= problem(this.head.seq + 1, 'unreadable', reason);
  }

  result(): Verification {
    const { seq, at, hash } = this.head;
    return {
      workspace: this.#workspace,
      // Contents are looked at a page after the entries; what precedes the problem is sound.
      entries: this.problem ? Math.min(seq, this.problem.seq - 1) : seq,
      head: { seq, at, hash },
      problem: this.problem,
      checkpointsTrusted: this.#trustedCount,
      checkpointsAnnounced: this.#announcedCount,
    };
  }
}

function gap(expected: number, entry: StoredEntry): LedgerProblem {
  if (entry.seq < expected) {
    return problem(entry.seq, 'reordered', `it stands after entry ${expected - 1}`);
  }
  return problem(expected, 'dropped', `it is missing; the next entry is ${entry.seq}`);
}

function problem(seq: number, kind: ProblemKind, detail: string): LedgerProblem {
  return { seq, kind, detail };
}
