import { isFault } from '../kernel/index.ts';
import { exitCodes, type Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';

export const run: Run = async ({ place, output }) => {
  try {
    const status = await connectDaemon(place).call('GET /v1/status', {});
    const { seq, hash } = status.ledger.head;
    output.value({ running: true, ...status });
    output.line(
      `${output.tone('good', 'up')}  Surety ${status.version}, workspace ${status.workspace}`,
    );
    output.line(
      `    daemon   pid ${status.pid}, since ${new Date(status.startedAt).toISOString()}`,
    );
    output.line(`    keeper   ${keeperLine(status.keeper)}`);
    output.line(`    ledger   ${status.ledger.store}, ${seq} entries, head ${hash.slice(0, 16)}…`);
    output.line(`    in       ${status.directory}`);
    return exitCodes.ok;
  } catch (error) {
    if (!isFault(error, 'DAEMON_NOT_RUNNING')) throw error;
    output.value({ running: false, directory: place.root });
    output.line(`${output.tone('bad', 'down')}  no daemon runs for ${place.root}`);
    output.line(`    try      ${error.remedy}`);
    return exitCodes.bad;
  }
};

function keeperLine(keeper: { pid: number; processes: number } | null): string {
  if (!keeper) return 'away (the daemon starts it again)';
  const others = keeper.processes - 1;
  return `pid ${keeper.pid}${others > 0 ? `, looks after ${others} more processes` : ''}`;
}
