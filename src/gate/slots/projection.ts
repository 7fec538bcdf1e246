import { type Instant, isLive, type Lease } from '../../kernel/index.ts';
import type { Entry, Projection, Rows } from '../../ledger/index.ts';
import { settlingKinds } from '../accounts/index.ts';
import { type SlotRow, slotKey, withoutLease } from './slot.ts';

/** The lease that an outcome releases. */
export type ReleasedSlots = { readonly resource: string; readonly fence: number };

/** The lease that goes on for longer. */
type RenewedSlot = ReleasedSlots & { readonly expiresAt: Instant };

const empty: SlotRow = { fence: 0, leases: [] };

/**
 * The holders of slots and locks. A lease is released once; an outcome after its end is recorded
 * and releases nothing.
 */
export const slots: Projection = {
  kinds: [
    ...['proposal-granted', 'recovery-stepped', ...settlingKinds],
    ...['lock-acquired', 'lock-renewed', 'lock-released'],
  ],
  keys: (entry) => [...takenBy(entry), ...renewedBy(entry), ...releasedBy(entry)].map(rowOf),
  apply: (rows, entry) => {
    for (const lease of takenBy(entry)) put(rows, lease, entry);
    for (const renewal of renewedBy(entry)) renew(rows, renewal);
    for (const { resource, fence } of releasedBy(entry)) {
      const row = rows.get<SlotRow>(slotKey(resource));
      if (row) rows.set(slotKey(resource), withoutLease(row, fence));
    }
  },
};

const takenBy = ({ body }: Entry): readonly Lease[] => (body.leases ?? []) as Lease[];
const releasedBy = ({ body }: Entry): readonly ReleasedSlots[] =>
  (body.released ?? []) as ReleasedSlots[];
const renewedBy = ({ body }: Entry): readonly RenewedSlot[] =>
  (body.renewed ?? []) as RenewedSlot[];
const rowOf = ({ resource }: { resource: string }): string => slotKey(resource);

function renew(rows: Rows, { resource, fence, expiresAt }: RenewedSlot): void {
  const row = rows.get<SlotRow>(slotKey(resource));
  if (!row) return;
  const leases = row.leases.map((held) => (held.fence === fence ? { ...held, expiresAt } : held));
  rows.set(slotKey(resource), { ...row, leases });
}

function put(rows: Rows, lease: Lease, { at }: Entry): void {
  const key = slotKey(lease.resource);
  const { fence, leases } = rows.get<SlotRow>(key) ?? empty;
  // Two holders with the same fence would be indistinguishable, so this entry was decided on old
  // rows.
  if (lease.fence <= fence) throw new Error(`fence ${lease.fence} of ${key} was handed out before`);
  const live = leases.filter((held) => isLive(held, at));
  rows.set(key, { fence: lease.fence, leases: [...live, { ...lease }] });
}
