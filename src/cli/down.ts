import { connectKeeper, type Keeper } from '../keeper/index.ts';
import { fault, isFault } from '../kernel/index.ts';
import { removeDaemonFile } from '../runtime/state-files.ts';
import { exitCodes, type Run } from './command.ts';

const stopMsMax = 15_000;
const lookEveryMs = 25;

export const run: Run = async ({ place, output }) => {
  const keeper = await connectKeeper(place.state).catch((error) => {
    if (isFault(error, 'KEEPER_UNREACHABLE')) return undefined;
    throw error;
  });
  if (!keeper) {
    removeDaemonFile(place);
    output.value({ stopped: [] });
    output.line('Nothing was running.');
    return exitCodes.ok;
  }
  output.progress('stopping the daemon …');
  await askDaemonToLeave(keeper);
  output.progress('stopping everything else …');
  const stopped = (await keeper.shutdown()).map(({ name }) => name);
  keeper.close();
  removeDaemonFile(place);
  output.value({ stopped });
  output.line(`${output.tone('good', 'down')}  stopped ${[...stopped, 'keeper'].join(', ')}`);
  return exitCodes.ok;
};

/** A daemon that is asked to leave answers its callers and closes its ledger first. */
async function askDaemonToLeave(keeper: Keeper): Promise<void> {
  const deadline = performance.now() + stopMsMax;
  let asked = false;
  while (performance.now() < deadline) {
    const daemon = (await keeper.list()).find(({ name }) => name === 'daemon');
    if (daemon?.state !== 'running') return;
    if (!asked) process.kill(daemon.pid, 'SIGTERM');
    asked = true;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  throw fault('DAEMON_START_FAILED', { reason: 'it does not stop' });
}
