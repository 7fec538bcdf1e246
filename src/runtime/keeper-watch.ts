import { ensureKeeper, type Keeper } from '../keeper/index.ts';
import { type Log, toFault } from '../kernel/index.ts';

/** The daemon's hold on the keeper. */
export interface KeeperWatch {
  status(): Promise<{ pid: number; processes: number } | null>;
  stop(): void;
}

const lookEveryMs = 1_000;

/**
 * The keeper outlives the daemon, and the daemon sees to it that there is a keeper: one that was
 * killed is started again and takes over what the old one looked after.
 */
export function watchKeeper(stateDirectory: string, log: Log): KeeperWatch {
  let keeper: Keeper | undefined;
  let stopped = false;

  async function look(): Promise<void> {
    try {
      if (!keeper) {
        keeper = await ensureKeeper(stateDirectory);
        log('info', 'keeper-found', { pid: (await keeper.ping()).pid });
      } else {
        await keeper.ping();
      }
    } catch (error) {
      keeper?.close();
      keeper = undefined;
      if (!stopped) log('warn', 'keeper-lost', toFault(error).report());
    }
    if (stopped) keeper?.close();
    else timer = setTimeout(look, lookEveryMs).unref();
  }

  let timer: NodeJS.Timeout | undefined;
  void look();
  return {
    async status() {
      try {
        if (!keeper) return null;
        const { pid } = await keeper.ping();
        const running = (await keeper.list()).filter(({ state }) => state === 'running');
        return { pid, processes: running.length };
      } catch {
        return null;
      }
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      keeper?.close();
    },
  };
}
