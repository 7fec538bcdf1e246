import { ensureKeeper, type Keeper } from '../../keeper/index.ts';
import { type Log, toFault } from '../../kernel/index.ts';

/** The daemon's connection to the keeper. */
export interface KeeperWatch {
  /** A keeper that answers; a killed one is restarted first. */
  keeper(): Promise<Keeper>;
  status(): Promise<{ pid: number; processes: number } | null>;
  stop(): void;
}

const lookEveryMs = 1_000;

/**
 * The keeper outlives the daemon, and the daemon makes sure that there is a keeper: a killed one is
 * restarted and adopts the processes of the old one.
 */
export function watchKeeper(stateDirectory: string, log: Log): KeeperWatch {
  let known: Keeper | undefined;
  let finding: Promise<Keeper> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function find(): Promise<Keeper> {
    if (known && (await isThere(known))) return known;
    finding ??= ensureKeeper(stateDirectory).finally(() => {
      finding = undefined;
    });
    known = await finding;
    if (stopped) known.close();
    return known;
  }

  async function isThere(keeper: Keeper): Promise<boolean> {
    try {
      await keeper.ping();
      return true;
    } catch (error) {
      keeper.close();
      if (known === keeper) known = undefined;
      log('warn', 'keeper-lost', toFault(error).report());
      return false;
    }
  }

  async function poll(): Promise<void> {
    await find().catch((error) => log('warn', 'keeper-away', toFault(error).report()));
    if (!stopped) timer = setTimeout(poll, lookEveryMs).unref();
  }

  void poll();
  return {
    keeper: find,
    async status() {
      try {
        if (!known) return null;
        const { pid } = await known.ping();
        const running = (await known.list()).filter(({ state }) => state === 'running');
        return { pid, processes: running.length };
      } catch {
        return null;
      }
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      known?.close();
    },
  };
}
