import { sha256, toFault, type VerifyingKey, verifyingKey, zeroHash } from '../kernel/index.ts';
import type { Anchor } from './anchor.ts';
import type { Head } from './api-schema.ts';
import { linkProblem, problem } from './chain-link.ts';
import { type Checkpoint, isSignedBy } from './checkpoint.ts';
import { ContentCheck } from './content-check.ts';
import { headerText, type StoredEntry } from './entry.ts';
import { isGivenUp, type LostHistory, readAcknowledgement } from './history/index.ts';
import { ledgerLimits } from './limits.ts';
import type { LedgerProblem } from './problem.ts';
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
  /** Entries after the last checkpoint. */
  readonly unsigned: number;
  /** Entries in which the owner accepted the loss of signed history. */
  readonly acknowledged: readonly number[];
}

export interface VerifyOptions {
  readonly trustedKeys: readonly VerifyingKey[];
  readonly anchors?: readonly Anchor[];
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
  readonly #trusted: Map<string, VerifyingKey>;
  /** Keys that the chain names, and those of them that a trusted checkpoint covers. */
  readonly #announced = new Map<string, VerifyingKey>();
  readonly #vouched = new Set<string>();
  #checkpoints: Checkpoint[] = [];
  #anchors: Anchor[];
  #trustedCount = 0;
  #announcedCount = 0;
  #coveredSeq = 0;
  /** Found where history was given up, unless no entry acknowledges that. */
  #suspicions: { readonly anchor: Anchor; readonly problem: LedgerProblem }[] = [];
  #acknowledged: { readonly seq: number; readonly loss: LostHistory }[] = [];
  head: Head = { seq: 0, at: 0, hash: zeroHash };
  problem: LedgerProblem | null = null;

  constructor(workspace: string, { trustedKeys, anchors = [] }: VerifyOptions) {
    this.#workspace = workspace;
    this.#anchors = [...anchors].sort((a, b) => b.seq - a.seq);
    this.#trusted = new Map(trustedKeys.map((key) => [key.id, key]));
  }

  expectCheckpoints(checkpoints: readonly Checkpoint[]): void {
    this.#checkpoints = [...checkpoints].sort((a, b) => b.seq - a.seq);
    for (const { seq, keyId, source } of this.#anchors) {
      if (keyId === undefined) continue;
      const isThere = checkpoints.some((each) => each.seq === seq && each.keyId === keyId);
      if (isThere) continue;
      this.#missingCheckpoint ??= problem(
        seq,
        'checkpoint-missing',
        `${source} shows that a checkpoint was signed here, but the database has none`,
      );
    }
  }
  #missingCheckpoint: LedgerProblem | null = null;

  page(page: readonly StoredEntry[]): void {
    for (const entry of page) {
      this.problem = this.#entryProblem(entry);
      if (this.problem) {
        this.problem = this.#moved(page, entry) ?? this.problem;
        return;
      }
      this.head = entry;
      this.#learnKey(entry);
      this.#learnLoss(entry);
      this.problem = this.#anchorProblem(entry);
      if (this.problem) return;
    }
  }

  #entryProblem(entry: StoredEntry): LedgerProblem | null {
    const found = linkProblem(this.#workspace, this.head, entry);
    if (found) return found;
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

  #learnLoss(entry: StoredEntry): void {
    const loss = readAcknowledgement(entry);
    if (loss) this.#acknowledged.push({ seq: entry.seq, loss });
  }

  #anchorProblem(entry: StoredEntry): LedgerProblem | null {
    while (this.#anchors.at(-1)?.seq === entry.seq) {
      const anchor = this.#anchors.pop() as Anchor;
      if (anchor.hash === entry.hash) continue;
      this.#suspect(anchor, 'rewritten', `${anchor.source} says its hash was ${anchor.hash}`);
    }
    while (this.#checkpoints.at(-1)?.seq === entry.seq) {
      const found = this.#checkpointProblem(this.#checkpoints.pop() as Checkpoint, entry);
      if (found) return found;
    }
    return null;
  }

  #checkpointProblem(checkpoint: Checkpoint, entry: StoredEntry): LedgerProblem | null {
    const key = this.#keyOf(checkpoint);
    if (!key) return unsigned(checkpoint);
    if (checkpoint.hash !== entry.hash) {
      const detail = 'a signed checkpoint says that the chain had another hash here';
      this.#suspect({ ...checkpoint, source: 'a checkpoint' }, 'rewritten', detail);
      return null;
    }
    const isTrusted = this.#trusted.has(checkpoint.keyId);
    if (isTrusted) this.#trustedCount++;
    else this.#announcedCount++;
    const isVouched = this.#vouched.has(checkpoint.keyId) || this.#trusted.size === 0;
    if (isTrusted || isVouched) this.#cover(entry.seq);
    return null;
  }

  #keyOf(checkpoint: Checkpoint): VerifyingKey | undefined {
    const key = this.#trusted.get(checkpoint.keyId) ?? this.#announced.get(checkpoint.keyId);
    return key && isSignedBy(key, this.#workspace, checkpoint) ? key : undefined;
  }

  #cover(seq: number): void {
    this.#coveredSeq = seq;
    for (const id of this.#announced.keys()) this.#vouched.add(id);
  }

  #suspect(anchor: Anchor, kind: LedgerProblem['kind'], detail: string): void {
    this.#suspicions.push({ anchor, problem: problem(anchor.seq, kind, detail) });
  }

  /** The chain is sound as far as it goes; does it go as far as it once did? */
  end(stored: Head): void {
    if (this.problem) return;
    this.problem =
      this.#endProblem(stored) ??
      this.#outsideProblem() ??
      this.#headProblem(stored) ??
      this.#unsignedProblem();
  }

  #endProblem(stored: Head): LedgerProblem | null {
    const { seq } = this.head;
    for (const checkpoint of this.#checkpoints) {
      const detail = `a checkpoint shows that the chain once went to ${checkpoint.seq}; it now ends at ${seq}`;
      this.#suspect({ ...checkpoint, source: 'a checkpoint' }, 'truncated', detail);
    }
    if (stored.seq > seq) {
      const detail = `the chain once went to ${stored.seq} and now ends at ${seq}`;
      return problem(seq + 1, 'truncated', detail);
    }
    if (stored.seq < seq) {
      const detail = `the ledger's head says that the chain ends at ${stored.seq}`;
      return problem(stored.seq + 1, 'appended', detail);
    }
    return null;
  }

  #headProblem(stored: Head): LedgerProblem | null {
    const { seq, at, hash } = this.head;
    if (stored.hash === hash && stored.at === at) return null;
    return problem(seq, 'edited', "the ledger's head knows it by another hash or time");
  }

  /** What checkpoints and anchors say against the chain, unless the owner has accepted it. */
  #outsideProblem(): LedgerProblem | null {
    const { seq } = this.head;
    for (const anchor of this.#anchors.toReversed()) {
      const detail = `${anchor.source} knows the chain up to ${anchor.seq}; it now ends at ${seq}`;
      this.#suspect(anchor, 'rolled-back', detail);
    }
    // An acknowledgement counts only if the daemon has signed it since.
    const losses = this.#acknowledged.filter((each) => each.seq <= this.#coveredSeq);
    const open = this.#suspicions.find(({ anchor: { at, ...anchor } }) => {
      return at === undefined || !losses.some(({ loss }) => isGivenUp(loss, { ...anchor, at }));
    });
    if (open) return { ...open.problem, seq: Math.min(open.problem.seq, seq + 1) };
    return this.#missingCheckpoint;
  }

  #unsignedProblem(): LedgerProblem | null {
    const { unsignedEntriesMax } = ledgerLimits;
    const first = this.#coveredSeq + 1;
    if (this.head.seq - this.#coveredSeq <= unsignedEntriesMax) return null;
    const detail = `no trusted checkpoint covers it or what follows; at most ${unsignedEntriesMax} entries may be unsigned`;
    return problem(first, 'unsigned', detail);
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
      unsigned: seq - this.#coveredSeq,
      acknowledged: this.#acknowledged.map((each) => each.seq),
    };
  }
}

function unsigned({ seq, keyId }: Checkpoint): LedgerProblem {
  const detail = `the checkpoint here bears no valid signature of key ${keyId}`;
  return problem(seq, 'checkpoint-invalid', detail);
}
