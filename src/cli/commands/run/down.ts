import { existsSync } from 'node:fs';
import {
  connectKeeper,
  ensureKeeper,
  type Keeper,
  listMarkedProcesses,
} from '../../../keeper/index.ts';
import { isFault } from '../../../kernel/index.ts';
import { removeDaemonFile } from '../../../runtime/state-files.ts';
import type { RunCommand } from '../../command.ts';

const stopMsMax = 15_000;
const lookEveryMs = 25;

export const run: RunCommand = async ({ place, output }) => {
  const keeper = await findKeeper(place.state);
  if (!keeper) {
    removeDaemonFile(place);
    output.value({ stopped: [] });
    output.line('Nothing was running.');
    return;
  }
  output.progress('stopping the daemon …');
  await askDaemonToLeave(keeper);
  output.progress('stopping everything else …');
  const stopped = (await keeper.shutdown()).map(({ name }) => name);
  keeper.close();
  removeDaemonFile(place);
  output.value({ stopped });
  output.line(`${output.tone('good', 'down')}  stopped ${[...stopped, 'keeper'].join(', ')}`);
};

/** If the keeper was killed, a new one adopts its processes, so that they can be ended. */
async function findKeeper(stateDirectory: string): Promise<Keeper | undefined> {
  try {
    return await connectKeeper(stateDirectory);
  } catch (error) {
    if (!isFault(error, 'KEEPER_UNREACHABLE')) throw error;
    const left = existsSync(stateDirectory) ? listMarkedProcesses(stateDirectory) : [];
    return left.length > 0 ? ensureKeeper(stateDirectory) : undefined;
  }
}

/**
 * A daemon that is asked to stop answers its callers and closes its ledger first. If it does not
 * stop in time, the keeper kills it.
 */
async function askDaemonToLeave(keeper: Keeper): Promise<void> {
  const deadline = performance.now() + stopMsMax;
  let asked = false;
  while (performance.now() < deadline) {
    const daemon = (await keeper.list()).find(({ name }) => name === 'daemon');
    if (daemon?.state !== 'running') return;
    if (!asked) signal(daemon.pid);
    asked = true;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

/** A paused process receives the first signal only after the second one resumes it. */
function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has already exited.
  }
}
