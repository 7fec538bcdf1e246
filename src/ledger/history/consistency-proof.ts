import { fault, isJsonObject, type Json } from '../../kernel/index.ts';
import type { EntryHeader, Head } from '../api-schema.ts';
import { linkProblem } from '../chain-link.ts';
import type { StoredEntry } from '../entry.ts';
import type { StoreReader } from '../store.ts';

/** One entry of a proof: what its hash covers, without body, salt and contents. */
export type ProofLine = EntryHeader & { readonly hash: string };

/**
 * The headers of all entries after `from` up to `to`. With them, somebody who knows both heads can
 * compute that the second continues the first, and learns nothing of what the entries say.
 */
export async function* proveConsistency(
  source: StoreReader,
  from: Pick<Head, 'seq'>,
  to: Pick<Head, 'seq'>,
): AsyncGenerator<ProofLine> {
  for await (const page of source.scanEntries(from.seq + 1)) {
    for (const { workspace, seq, at, kind, actor, digest, prev, hash } of page) {
      if (seq > to.seq) return;
      yield { workspace, seq, at, kind, actor, digest, prev, hash };
    }
  }
}

/** Why the lines do not lead from one head to the other; null if they do. */
export function checkConsistency(
  lines: Iterable<ProofLine>,
  from: Pick<Head, 'seq' | 'hash'>,
  to: Pick<Head, 'seq' | 'hash'>,
): string | null {
  let last: Pick<Head, 'seq' | 'hash'> = from;
  for (const line of lines) {
    const found = linkProblem(line.workspace, { ...last, at: 0 }, line as StoredEntry);
    if (found) return `entry ${found.seq} was ${found.kind}: ${found.detail}`;
    last = line;
  }
  if (last.seq === to.seq && last.hash === to.hash) return null;
  return `they end at entry ${last.seq} with hash ${last.hash}`;
}

const texts = ['workspace', 'kind', 'actor', 'digest', 'prev', 'hash'];

export function parseProofLine(value: Json, line: number): ProofLine {
  const isHeader =
    isJsonObject(value) &&
    texts.every((name) => typeof value[name] === 'string') &&
    [value.seq, value.at].every(Number.isSafeInteger);
  if (isHeader) return value as unknown as ProofLine;
  throw fault('EXPORT_INVALID', { line, reason: 'it is no line of a proof' });
}
