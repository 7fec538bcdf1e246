import type { BranchRecords } from './branch-records.ts';
import type { Stores } from './store.ts';

/**
 * Drops all data branches of a lane concurrently, because closing a lane may take only a second. A
 * branch that cannot be dropped now stays recorded, and the first reason is thrown.
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
