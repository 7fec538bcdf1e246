export { type ConnectOptions, connectKeeper, type Keeper } from './client.ts';
export { ensureKeeper } from './ensure.ts';
export type { Exit } from './exit.ts';
export { listMarkedProcesses } from './processes.ts';
export type { Child, Pong, StartParams } from './protocol.ts';
