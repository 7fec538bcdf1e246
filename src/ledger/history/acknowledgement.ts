import type { Head } from '../api-schema.ts';
import type { Checkpoint } from '../checkpoint.ts';
import type { StoredEntry } from '../entry.ts';
import type { Divergence } from './divergence.ts';

/** The kind of the entry in which the owner accepts that signed history is lost. */
export const acknowledgedKind = 'history-acknowledged';

/** The body of that entry. */
export interface LostHistory {
  readonly [name: string]: string | number | { readonly [name: string]: string | number } | null;
  readonly divergence: Divergence['kind'];
  /** The signed head that the chain no longer leads to. Null if its file was damaged. */
  readonly lost: { readonly seq: number; readonly at: number; readonly hash: string } | null;
  /** Where the chain ended when the owner accepted it. */
  readonly found: { readonly seq: number; readonly at: number; readonly hash: string };
  /** The newest checkpoint that the chain still agrees with; 0 if there is none. */
  readonly keptSeq: number;
}

export function readAcknowledgement(entry: StoredEntry): LostHistory | null {
  return entry.kind === acknowledgedKind ? (JSON.parse(entry.body) as LostHistory) : null;
}

/** Whether what a checkpoint or a witness says is part of the history that was given up. */
export function isGivenUp({ lost, keptSeq }: LostHistory, anchor: Pick<Head, 'seq' | 'at'>) {
  return lost !== null && anchor.seq > keptSeq && anchor.at <= lost.at;
}

export function lostHistory(
  divergence: Divergence['kind'],
  lost: Checkpoint | null,
  { seq, at, hash }: Head,
  keptSeq: number,
): LostHistory {
  const head = lost && { seq: lost.seq, at: lost.at, hash: lost.hash };
  return { divergence, lost: head, found: { seq, at, hash }, keptSeq };
}
