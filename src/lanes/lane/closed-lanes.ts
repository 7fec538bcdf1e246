import { type Ledger, type Projection, readRow } from '../../ledger/index.ts';
import { laneLimits } from '../limits.ts';

type ClosedLanesRow = { readonly lanes: readonly string[] };

const closedKey = (owner: string): string => `closed-lanes/${owner}`;

/** The lanes that were closed last, by whose they were: what they left is still their owner's. */
export const closedLanes: Projection = {
  kinds: ['lane-closed'],
  // Older entries have no owner.
  keys: ({ body }) => (body.owner === undefined ? [] : [closedKey(String(body.owner))]),
  apply: (rows, { body: { lane, owner } }) => {
    if (owner === undefined) return;
    const key = closedKey(String(owner));
    const before = rows.get<ClosedLanesRow>(key)?.lanes ?? [];
    rows.set(key, { lanes: [...before, String(lane)].slice(-laneLimits.ownClosedLanesMax) });
  },
};

export async function findClosedLanes(ledger: Ledger, owner: string): Promise<readonly string[]> {
  return (await readRow<ClosedLanesRow>(ledger, closedKey(owner)))?.lanes ?? [];
}
