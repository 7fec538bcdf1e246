import type { BranchRecords } from './branch-records.ts';
import type { Stores } from './store.ts';

/**
 * Drops everything that a lane has of its own, all at once: it has a second. What can't be dropped
 * now stays written down, and the first reason is told.
 */
export async function dropBranches(
  lane: string,
  { records, stores }: { records: BranchRecords; stores: Stores },
): Promise<void> {
  const drops = records.of(lane).map(async (record) => {
    await stores[record.kind].drop(record);
    records.strike(lane, record);
  });
  const failed = (await Promise.allSettled(drops)).find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}
