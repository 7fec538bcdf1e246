export { type ConnectOptions, connectKeeper, type Keeper } from './client.ts';
export { ensureKeeper } from './ensure.ts';
export { listMarkedProcesses } from './processes.ts';
export type { Child, Exit, Pong, StartParams } from './protocol.ts';
