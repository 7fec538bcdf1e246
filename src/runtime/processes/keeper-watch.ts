import { ensureKeeper, type Keeper } from '../../keeper/index.ts';
import { type Log, toFault } from '../../kernel/index.ts';

/** The daemon's connection to the keeper. */
export interface KeeperWatch {
  /** A keeper that answers; a killed one is restarted first. */
  keeper(): Promise<Keeper>;
  status(): Promise<{ pid: number; processes: number } | null>;
  /** Called with each keeper that is found, the present one included. */
  onFound(listener: (keeper: Keeper) => Promise<void>): void;
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
  let listener: (keeper: Keeper) => Promise<void> = async () => undefined;

  function announce(keeper: Keeper): void {
    listener(keeper).catch((error) => log('warn', 'chore-failed', toFault(error).report()));
  }

  async function find(): Promise<Keeper> {
    if (known && (await isThere(known))) return known;
    finding ??= ensureKeeper(stateDirectory).finally(() => {
      finding = undefined;
    });
    const found = await finding;
    if (stopped) found.close();
    if (known !== found) announce(found);
    known = found;
    return found;
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
    onFound(told) {
      listener = told;
      if (known) announce(known);
    },
    status: async () => (known ? statusOf(known).catch(() => null) : null),
    stop() {
      stopped = true;
      clearTimeout(timer);
      known?.close();
    },
  };
}

async function statusOf(keeper: Keeper): Promise<{ pid: number; processes: number }> {
  const { pid } = await keeper.ping();
  const running = (await keeper.list()).filter(({ state }) => state === 'running');
  return { pid, processes: running.length };
}
