import type { Exit } from '../children/exit.ts';
import { keeperLimits } from '../limits.ts';
import { type KeeperConnection, openConnection } from './connection.ts';
import type { Child, Hold, HoldParams, ListParams, Pong, StartParams } from './protocol.ts';

/** A keeper that answers. Every method may throw KEEPER_UNREACHABLE: it may be gone by then. */
export interface Keeper {
  ping(): Promise<Pong>;
  start(params: StartParams): Promise<Child>;
  /** Counted from now; null is "until stopped". */
  renew(name: string, leaseMs: number | null): Promise<Child>;
  /** Resolves when nothing of the child is left. */
  stop(name: string): Promise<Exit>;
  list(params?: ListParams): Promise<readonly Child[]>;
  /** Drops the record of an exited child. */
  forget(name: string): Promise<void>;
  /** Counted from now; what was started under it ends with it. */
  hold(params: HoldParams): Promise<Hold>;
  /** Resolves when nothing that was held is left; its command is not run. */
  release(name: string): Promise<void>;
  holds(): Promise<readonly Hold[]>;
  /** Stops everything but `except`, then the keeper leaves. */
  shutdown(options?: { readonly except?: readonly string[] }): Promise<readonly Child[]>;
  close(): void;
}

export interface ConnectOptions {
  /** How long to wait for each answer. */
  readonly answerMsMax?: number;
  readonly workMsMax?: number;
}

/** Connects to the keeper of a directory, and makes sure that it answers. */
export async function connectKeeper(
  stateDirectory: string,
  {
    answerMsMax = keeperLimits.keeperAnswerMsMax,
    workMsMax = keeperLimits.keeperWorkMsMax,
  }: ConnectOptions = {},
): Promise<Keeper> {
  const connection = await openConnection(stateDirectory, { answerMsMax, workMsMax });
  const keeper = createKeeper(connection);
  try {
    await keeper.ping();
    return keeper;
  } catch (error) {
    keeper.close();
    throw error;
  }
}

function createKeeper(connection: KeeperConnection): Keeper {
  return {
    ping: () => connection.ask('ping', {}),
    start: (params) => connection.ask('start', params),
    renew: (name, leaseMs) => connection.ask('renew', { name, leaseMs }),
    stop: (name) => connection.ask('stop', { name }),
    list: (params = {}) => connection.ask('list', params),
    forget: async (name) => void (await connection.ask('forget', { name })),
    hold: (params) => connection.ask('hold', params),
    release: async (name) => void (await connection.ask('release', { name })),
    holds: () => connection.ask('holds', {}),
    shutdown: (options = {}) => connection.ask('shutdown', options),
    close: () => connection.close(),
  };
}
