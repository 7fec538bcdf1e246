import { sha256 } from '../kernel/index.ts';
import type { Head } from './api-schema.ts';
import { headerText, type StoredEntry } from './entry.ts';
import type { LedgerProblem, ProblemKind } from './problem.ts';

/** Why `entry` does not follow `head` on the chain of `workspace`; null if it does. */
export function linkProblem(
  workspace: string,
  { seq, hash }: Head,
  entry: StoredEntry,
): LedgerProblem | null {
  if (entry.seq !== seq + 1) return gap(seq + 1, entry);
  // The workspace is part of what is hashed: an entry of another chain can't be put in.
  if (entry.workspace !== workspace || sha256(headerText(entry)) !== entry.hash) {
    return problem(entry.seq, 'edited', 'its hash does not fit its time, kind, actor or place');
  }
  if (entry.prev !== hash) {
    const detail = `it was written to follow another entry than the ${seq} that stands before it`;
    return problem(entry.seq, 'reordered', detail);
  }
  return null;
}

function gap(expected: number, entry: StoredEntry): LedgerProblem {
  if (entry.seq < expected) {
    return problem(entry.seq, 'reordered', `it stands after entry ${expected - 1}`);
  }
  return problem(expected, 'dropped', `it is missing; the next entry is ${entry.seq}`);
}

export function problem(seq: number, kind: ProblemKind, detail: string): LedgerProblem {
  return { seq, kind, detail };
}
