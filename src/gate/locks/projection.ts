import type { Json } from '../../kernel/index.ts';
import type { Entry, Projection, Rows } from '../../ledger/index.ts';
import {
  formatWaiter,
  type LockHolding,
  type LockOwnerRow,
  type LockRow,
  lockKey,
  lockOwnerKey,
  readWaiter,
  type Waiter,
} from './lock-row.ts';

type LockStep = {
  readonly lock: string;
  readonly owner: string;
  readonly slots?: number;
  readonly waiter?: Waiter;
  readonly ticket?: string | null;
  readonly leases?: readonly { readonly fence: number }[];
  readonly released?: readonly { readonly fence: number }[];
  readonly renewed?: readonly { readonly fence: number }[];
  readonly unclaimedMs?: number;
};

type Step = (row: LockRow, body: LockStep) => LockRow;

const steps: Readonly<Record<string, Step>> = {
  'lock-queued': (row, { waiter }) => (waiter ? withWaiter(row, waiter) : row),
  'lock-withdrawn': (row, { ticket }) => withoutTicket(row, ticket ?? ''),
  'lock-acquired': (row, { owner, ticket, leases = [], unclaimedMs }) => {
    const unclaimed = unclaimedMs === undefined ? {} : { unclaimedMs };
    const taken = leases.map(({ fence }) => ({ owner, fence, ...unclaimed }));
    return { ...withoutTicket(row, ticket ?? ''), holders: [...row.holders, ...taken] };
  },
  'lock-released': (row, { released = [] }) => {
    const fences = new Set(released.map(({ fence }) => fence));
    return { ...row, holders: row.holders.filter(({ fence }) => !fences.has(fence)) };
  },
  'lock-renewed': (row, { renewed = [] }) => {
    const fences = new Set(renewed.map(({ fence }) => fence));
    const claimed = ({ unclaimedMs: _, ...holder }: LockHolding): LockHolding => holder;
    const holders = row.holders.map((one) => (fences.has(one.fence) ? claimed(one) : one));
    return { ...row, holders };
  },
};

/** Who holds and who waits for named locks. What they hold is a lease of `slots/`. */
export const locks: Projection = {
  kinds: Object.keys(steps),
  keys: ({ body }) => [lockKey(String(body.lock)), lockOwnerKey(String(body.owner))],
  apply: (rows, { kind, body }: Entry) => {
    const step = body as unknown as LockStep;
    const { lock, owner, slots = 1 } = step;
    const before = rows.get<LockRow>(lockKey(lock)) ?? { lock, slots, holders: [], queue: [] };
    const after = steps[kind]?.(before, step) ?? before;
    const isUsed = after.holders.length + after.queue.length > 0;
    rows.set(lockKey(lock), isUsed ? after : undefined);
    setOwner(rows, after, owner);
  },
};

function setOwner(rows: Rows, { lock, holders, queue }: LockRow, owner: string): void {
  const key = lockOwnerKey(owner);
  const before = rows.get<LockOwnerRow>(key) ?? { holds: [], waits: [] };
  const holds = holders.some((holder) => holder.owner === owner);
  const waits = queue.some((text) => readWaiter(text).owner === owner);
  const after = {
    holds: having(before.holds, lock, holds),
    waits: having(before.waits, lock, waits),
  };
  const isUsed = after.holds.length + after.waits.length > 0;
  rows.set(key, isUsed ? (after as Json) : undefined);
}

function having(names: readonly string[], name: string, isIn: boolean): string[] {
  const others = names.filter((one) => one !== name);
  return isIn ? [...others, name] : others;
}

/** After everybody with the same rank or an earlier one. */
function withWaiter(row: LockRow, waiter: Waiter): LockRow {
  const later = row.queue.findIndex((text) => readWaiter(text).rank > waiter.rank);
  const at = later < 0 ? row.queue.length : later;
  return { ...row, queue: row.queue.toSpliced(at, 0, formatWaiter(waiter)) };
}

function withoutTicket(row: LockRow, ticket: string): LockRow {
  return { ...row, queue: row.queue.filter((text) => readWaiter(text).ticket !== ticket) };
}
