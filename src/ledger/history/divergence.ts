import type { Head } from '../api-schema.ts';
import { linkProblem } from '../chain-link.ts';
import type { StoreReader } from '../store.ts';

/** How a chain differs from one that has to be continued. */
export interface Divergence {
  readonly kind: 'missing' | 'rolled-back' | 'rewritten' | 'broken';
  readonly detail: string;
}

/**
 * Whether the chain in the store contains `signed` and continues it up to `head`, by computing the
 * hash of every entry in between: nobody can show us other rows here than the signature will cover.
 */
export async function findDivergence(
  store: Pick<StoreReader, 'workspace' | 'scanEntries'>,
  signed: Head,
  head: Head,
): Promise<Divergence | null> {
  if (isSameHead(head, signed)) return null;
  if (head.seq === 0) return { kind: 'missing', detail: `it is empty, but ${had(signed)}` };
  if (head.seq < signed.seq) {
    return { kind: 'rolled-back', detail: `it ends at entry ${head.seq}, but ${had(signed)}` };
  }
  return followChain(store, signed, head);
}

export function isSameHead(one: Head, other: Head): boolean {
  return one.hash === other.hash && one.seq === other.seq;
}

function had({ seq }: Head): string {
  return `this daemon has signed entry ${seq}`;
}

async function followChain(
  store: Pick<StoreReader, 'workspace' | 'scanEntries'>,
  signed: Head,
  head: Head,
): Promise<Divergence | null> {
  let last = signed;
  for await (const page of store.scanEntries(signed.seq)) {
    for (const entry of page) {
      if (entry.seq > head.seq) break;
      if (entry.seq === signed.seq) {
        if (entry.hash !== signed.hash) return rewritten(signed);
        continue;
      }
      const found = linkProblem(store.workspace, last, entry);
      if (found) {
        const detail = `entry ${found.seq} was ${found.kind}: ${found.detail}`;
        return { kind: 'broken', detail };
      }
      last = entry;
    }
    if (last.seq >= head.seq) break;
  }
  if (last.hash === head.hash) return null;
  const detail = `its head names entry ${head.seq}, but the chain ends differently at ${last.seq}`;
  return { kind: 'broken', detail };
}

function rewritten({ seq }: Head): Divergence {
  const detail = `entry ${seq} has another hash than the one that this daemon has signed`;
  return { kind: 'rewritten', detail };
}
