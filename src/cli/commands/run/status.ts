import type { OperationResponse } from '../../../http/index.ts';
import { isFault } from '../../../kernel/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { staleConfig } from '../../stale-config.ts';
import { telemetryLines } from '../telemetry/telemetry-lines.ts';

export const run: RunCommand = async ({ place, output }) => {
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
    for (const line of telemetryLines(status)) output.line(`    telemetry ${line}`);
    output.line(`    in       ${status.directory}`);
    const stale = staleConfig(place.configFile, status.startedAt);
    for (const line of stale) output.line(`    ${output.tone('warn', line)}`);
    for (const line of policyLines(status.policy, output)) output.line(`    policy   ${line}`);
    return exitCodes.ok;
  } catch (error) {
    if (!isFault(error, 'DAEMON_NOT_RUNNING')) throw error;
    output.value({ running: false, directory: place.root });
    output.line(`${output.tone('bad', 'down')}  no daemon runs for ${place.root}`);
    output.line(`    try      ${error.remedy}`);
    return exitCodes.bad;
  }
};

type Policy = OperationResponse<'GET /v1/status'>['policy'];

/** A policy on disk that is not in force is the first thing that somebody has to know. */
function policyLines({ hash, mode, problem }: Policy, { tone }: Output): string[] {
  const inForce =
    hash === null ? 'none in force: agents are denied' : `${mode}, ${hash.slice(0, 16)}…`;
  if (problem === null) return [inForce];
  const kept = hash === null ? '' : '; the last valid one stays in force';
  return [
    inForce,
    tone('bad', `REJECTED: what is on disk is not in force${kept}`),
    ...problem.split('\n').map((line) => tone('bad', line)),
    'try: surety policy check',
  ];
}

function keeperLine(keeper: { pid: number; processes: number } | null): string {
  if (!keeper) return 'away (the daemon starts it again)';
  const others = keeper.processes - 1;
  return `pid ${keeper.pid}${others > 0 ? `, looks after ${others} more processes` : ''}`;
}
