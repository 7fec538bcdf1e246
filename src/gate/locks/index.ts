export type { LockHold, LockRenewal, LockRequest } from './api-schema.ts';
export { acquireLock, checkFence, leaveQueue, releaseLock, renewLock } from './commands.ts';
export { listLocks, passOnLocks } from './list-locks.ts';
export { locks } from './projection.ts';
export { waitForLock } from './wait-for-lock.ts';
