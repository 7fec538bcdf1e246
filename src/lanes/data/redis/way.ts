import type { BranchRecord, BranchRequest } from '../store.ts';

/** How a lane gets a part of a Redis to itself. */
export interface Way {
  /** Takes it, noting it first; what `record` says then is what a service uses. */
  take(request: BranchRequest): Promise<BranchRecord>;
  copy(request: BranchRequest, record: BranchRecord): Promise<void>;
  clear(record: BranchRecord): Promise<void>;
}
