import type { BranchRecord, BranchRequest } from '../store.ts';

/** How a lane gets a part of a Redis to itself. */
export interface Way {
  /** Takes it, noting it first; what `record` says then is what a service uses. */
  take(wish: BranchRequest): Promise<BranchRecord>;
  copy(wish: BranchRequest, record: BranchRecord): Promise<void>;
  clear(record: BranchRecord): Promise<void>;
}
