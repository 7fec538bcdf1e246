import {
  type Actor,
  type Clock,
  type Fault,
  fault,
  type SigningKey,
  zeroHash,
} from '../../kernel/index.ts';
import type { Head } from '../api-schema.ts';
import { type Checkpoint, signCheckpoint } from '../checkpoint.ts';
import { ledgerLimits } from '../limits.ts';
import type { Store } from '../store.ts';
import { type LostHistory, lostHistory } from './acknowledgement.ts';
import { type Divergence, findDivergence, isSameHead } from './divergence.ts';
import type { SignedHead } from './signed-head.ts';

export interface SignerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly key: SigningKey;
  /** Where checkpoint failures are told; they never fail the append that caused them. */
  readonly onCheckpointError?: (error: unknown) => void;
  /** Without it, only this process remembers what it has signed. */
  readonly signedHead?: SignedHead;
  /** The owner accepts that this ledger does not continue the signed head. */
  readonly acknowledgement?: { readonly actor: Actor; readonly reason: string };
}

const emptyChain: Head = { seq: 0, at: 0, hash: zeroHash };

/** Batches of this process, each chained to the one before it. */
interface Run {
  readonly from: Head;
  to: Head;
  /** Whether `from`, and so all of it, is known to continue what was signed. */
  isProven: boolean;
}

/**
 * Signs the head every so many entries, some time after the last one, and when asked; never one
 * that does not continue what was signed before.
 */
export class CheckpointSigner {
  readonly #deps: SignerDeps;
  #run: Run = { from: emptyChain, to: emptyChain, isProven: true };
  /** What a signature was asked for, and what has one that is durable. */
  #askedSeq = 0;
  #signedSeq = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  divergence: Fault | null = null;

  constructor(deps: SignerDeps) {
    this.#deps = deps;
  }

  /** Compares the store with the signed head. Gives what is lost if the owner accepts that. */
  async start(): Promise<LostHistory | null> {
    const head = await this.#deps.store.head();
    const lost = await this.#findLoss(head);
    this.#run = { from: head, to: head, isProven: true };
    if (lost) this.#signedSeq = head.seq;
    this.#askedSeq = this.#signedSeq;
    return lost;
  }

  async #findLoss(head: Head): Promise<LostHistory | null> {
    const { acknowledgement, clock } = this.#deps;
    let signed: Checkpoint | undefined;
    try {
      signed = this.#deps.signedHead?.read() ?? (await this.#newestCheckpoint());
    } catch (error) {
      if (!acknowledgement) throw error;
      return lostHistory('missing', null, head, await this.#keptSeq(head));
    }
    this.#signedSeq = signed?.seq ?? 0;
    const found = await findDivergence(this.#deps.store, signed ?? emptyChain, head);
    if (!found) return null;
    if (!acknowledgement) throw divergedFault(found);
    // A broken chain can't be continued, whoever accepts it.
    if (found.kind === 'broken') throw fault('LEDGER_CORRUPT', { reason: found.detail });
    clock.keepAfter(signed?.at ?? 0);
    return lostHistory(found.kind, signed ?? null, head, await this.#keptSeq(head));
  }

  /** A ledger that was imported, or written before signed heads were kept. */
  async #newestCheckpoint(): Promise<Checkpoint | undefined> {
    return (await this.#deps.store.checkpoints()).at(-1);
  }

  /** The newest checkpoint with the hash that the chain has there. */
  async #keptSeq(head: Head): Promise<number> {
    const { store } = this.#deps;
    for (const { seq, hash } of (await store.checkpoints()).toReversed()) {
      if (seq > head.seq) continue;
      const [entry] = await store.entries(seq, 1);
      if (entry?.hash === hash) return seq;
    }
    return 0;
  }

  /** Keeps the tail that no checkpoint covers within its limit. */
  beforeBatch(): Promise<void> | undefined {
    if (this.divergence) throw this.divergence;
    const { to } = this.#run;
    const most = ledgerLimits.unsignedEntriesMax - ledgerLimits.batchRequestsMax;
    if (to.seq - this.#signedSeq < most) return undefined;
    return this.#sign(to, this.#run);
  }

  after(before: Head, head: Head): void {
    if (isSameHead(before, this.#run.to)) this.#run.to = head;
    // Somebody else has written in between: another daemon, or whoever changed the chain.
    else this.#run = { from: this.#provenHead(), to: head, isProven: false };
    if (head.seq - this.#askedSeq >= ledgerLimits.checkpointEntriesEvery) this.#signSoon();
    // Whatever comes next, what is there now will not stay unsigned for long.
    this.#timer ??= setTimeout(() => this.#signSoon(), ledgerLimits.checkpointMsEvery).unref();
  }

  #provenHead(): Head {
    return this.#run.isProven ? this.#run.to : this.#run.from;
  }

  #signSoon(): void {
    this.#stopTimer();
    this.#sign(this.#run.to, this.#run).catch((error) => this.#deps.onCheckpointError?.(error));
  }

  async now(): Promise<void> {
    this.#stopTimer();
    const from = this.#provenHead();
    const head = await this.#deps.store.head();
    await this.#sign(head, { from, to: head, isProven: isSameHead(head, from) });
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #sign(head: Head, run: Run): Promise<void> {
    if (run.isProven && head.seq <= this.#askedSeq) return this.#running;
    this.#askedSeq = Math.max(this.#askedSeq, head.seq);
    this.#running = this.#running
      .catch(() => undefined)
      .then(() => this.#signNext(head, run))
      .catch((error) => {
        // The next one who asks tries again.
        this.#askedSeq = this.#signedSeq;
        throw error;
      });
    return this.#running;
  }

  async #signNext(head: Head, run: Run): Promise<void> {
    if (this.divergence) throw this.divergence;
    await this.#prove(head, run);
    const { store, key, signedHead } = this.#deps;
    const checkpoint = signCheckpoint(store.workspace, head, key);
    // The database first: after a crash in between, the file only has an older head of the chain.
    await store.addCheckpoint(checkpoint);
    await signedHead?.write(checkpoint);
    this.#signedSeq = Math.max(this.#signedSeq, head.seq);
  }

  /** Reads back only what this process has not chained itself. */
  async #prove(head: Head, run: Run): Promise<void> {
    if (run.isProven) return;
    const found = await findDivergence(this.#deps.store, run.from, head);
    if (found) {
      this.divergence = divergedFault(found);
      throw this.divergence;
    }
    run.isProven = true;
  }
}

function divergedFault({ detail }: Divergence): Fault {
  return fault('LEDGER_DIVERGED', { reason: detail });
}
