import { readStat } from '../../src/keeper/strays/processes.ts';
import { until } from './until.ts';

/** As `kill -9` does it, and seen to be gone. */
export async function killHard(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until(`process ${pid} is gone`, () => readStat(pid)?.isZombie !== false);
}
