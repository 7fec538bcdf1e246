import type { OperationResponse } from '../../../http/index.ts';
import { faults, isFault } from '../../../kernel/index.ts';
import { findLoss } from '../../../runtime/compose/signed-history.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { staleConfig } from '../../stale-config.ts';

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
    if (status.ledger.problem) {
      output.line(`    ${output.tone('bad', status.ledger.problem)}`);
      output.line(`    try      ${faults.LEDGER_DIVERGED.remedy}`);
    }
    for (const line of telemetryLines(status)) output.line(`    telemetry ${line}`);
    output.line(`    in       ${status.directory}`);
    const stale = staleConfig(place.configFile, status.startedAt);
    for (const line of stale) output.line(`    ${output.tone('warn', line)}`);
    for (const line of policyLines(status.policy, output)) output.line(`    policy   ${line}`);
    return exitCodes.ok;
  } catch (error) {
    if (!isFault(error, 'DAEMON_NOT_RUNNING')) throw error;
    const loss = await findLoss(place, loadConfig(place));
    output.value({ running: false, directory: place.root, loss });
    output.line(`${output.tone('bad', 'down')}  no daemon runs for ${place.root}`);
    if (loss !== null) output.line(`    ${output.tone('bad', `ledger   ${loss}`)}`);
    const { remedy } = loss === null ? error : faults.LEDGER_DIVERGED;
    output.line(`    try      ${remedy}`);
    return exitCodes.bad;
  }
};

type Policy = OperationResponse<'GET /v1/status'>['policy'];

/** A policy file that is not in force is the most important thing to know. */
function policyLines({ hash, mode, problem }: Policy, { tone }: Output): string[] {
  const inForce =
    hash === null ? 'none in force: agents are denied' : `${mode}, ${hash.slice(0, 16)}…`;
  if (problem === null) return [inForce];
  const kept = hash === null ? '' : '; another policy is';
  return [
    inForce,
    tone('bad', `NOT IN FORCE: the policy file on disk${kept}`),
    ...problem.split('\n').map((line) => tone('bad', line)),
    'try: surety policy check',
  ];
}

function keeperLine(keeper: { pid: number; processes: number } | null): string {
  if (!keeper) return 'away (the daemon starts it again)';
  const others = keeper.processes - 1;
  return `pid ${keeper.pid}${others > 0 ? `, looks after ${others} more processes` : ''}`;
}

type Status = Pick<OperationResponse<'GET /v1/status'>, 'telemetry' | 'telemetryProblem'>;
type Telemetry = Status['telemetry'];

const mebibyte = 1024 * 1024;

/** Its ports, its throughput, and what was lost. */
function telemetryLines({ telemetry, telemetryProblem }: Status): string[] {
  if (!telemetry) return telemetryProblem === null ? [] : [`none: ${telemetryProblem}`];
  const { pid, port, grpcPort, rowsPerSecond, rowsStored, rowsWaiting, bytes } = telemetry;
  const megabytes = Math.ceil(bytes / mebibyte);
  return [
    `pid ${pid}, OTLP on 127.0.0.1:${port} (HTTP) and :${grpcPort} (gRPC)`,
    `${rowsPerSecond} rows/s, ${rowsStored} stored, ${rowsWaiting} waiting, ${megabytes} MiB`,
    ...lossLines(telemetry),
  ];
}

function lossLines({ rowsRefused, rowsLost, counts, trouble }: NonNullable<Telemetry>): string[] {
  const shown = Object.entries(counts).filter(([what]) => what !== 'rows received');
  const happened = shown.map(([what, count]) => `${count} ${what}`).join(', ');
  return [
    ...(trouble === null ? [] : [`cannot store at present: ${trouble}`]),
    ...(rowsRefused === 0 ? [] : [`${rowsRefused} rows were refused: the queue or disk was full`]),
    ...(rowsLost === 0 ? [] : [`at most ${rowsLost} rows were lost when it was killed`]),
    ...(happened === '' ? [] : [happened]),
  ];
}
