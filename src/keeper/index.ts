export type { Exit } from './children/exit.ts';
export { type ConnectOptions, connectKeeper, type Keeper } from './protocol/client.ts';
export { ensureKeeper } from './protocol/ensure.ts';
export type { Child, Pong, StartParams } from './protocol/protocol.ts';
export { listMarkedProcesses } from './strays/processes.ts';
