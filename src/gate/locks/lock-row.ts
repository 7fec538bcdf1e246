import type { Instant } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';

export const lockPrefix = 'lock/';
export const lockKey = (lock: string): string => lockPrefix + lock;
export const lockOwnerKey = (owner: string): string => `lock-owner/${owner}`;

/** A named lock or semaphore while somebody holds it or waits for it. */
export type LockRow = {
  readonly lock: string;
  /** How many may hold it at the same time. */
  readonly slots: number;
  /** Their fences and expiry times are in the row of the slot. */
  readonly holders: readonly LockHolding[];
  /** Sorted: the first one is next. One text each, because the row is rewritten with every step. */
  readonly queue: readonly string[];
};

export type LockHolding = {
  readonly owner: string;
  readonly fence: number;
  /** The lease that it asked for; until it has asked again, it holds the lock only for a moment. */
  readonly unclaimedMs?: number;
};

/** What an owner holds and waits for, to find deadlocks. */
export type LockOwnerRow = {
  readonly holds: readonly string[];
  readonly waits: readonly string[];
};

export interface Waiter {
  /** The moment from which it would have waited without a priority. */
  readonly rank: number;
  readonly ticket: string;
  readonly owner: string;
  readonly since: Instant;
  /** When it leaves the queue. */
  readonly until: Instant;
  readonly leaseMs: number;
}

export function formatWaiter({ rank, ticket, owner, since, until, leaseMs }: Waiter): string {
  return [rank, ticket, since, until, leaseMs, owner].join(' ');
}

export function readWaiter(text: string): Waiter {
  const [rank, ticket = '', since, until, leaseMs, owner = ''] = text.split(' ');
  return {
    rank: Number(rank),
    ticket,
    owner,
    since: Number(since),
    until: Number(until),
    leaseMs: Number(leaseMs),
  };
}

/**
 * Whoever waits longer counts as more important: one step of priority is worth a fixed time of
 * waiting. So the order of two waiters never changes, and nobody waits for ever.
 */
export function rankOf(priority: number, since: Instant): number {
  return since - priority * gateLimits.lockAgeingMs;
}
