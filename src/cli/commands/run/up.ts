import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, ensureKeeper, type Keeper } from '../../../keeper/index.ts';
import { keeperLimits } from '../../../keeper/limits.ts';
import {
  type FaultReport,
  fault,
  faultFromReport,
  isFault,
  nodeCommand,
  tryOr,
  writePrivateFile,
} from '../../../kernel/index.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import type { WorkspacePlace } from '../../../runtime/place.ts';
import { type DaemonFile, readDaemonFile } from '../../../runtime/state-files.ts';
import { type ExitCode, exitCodes, type Invocation, type RunCommand } from '../../command.ts';
import { connectAsOwner } from '../../daemon-client.ts';
import { lastLines } from './log-lines.ts';

const startMsMax = 20_000;
const lookEveryMs = 25;
const healthMsMax = 2_000;
const restartAfterMs = 500;

export const run: RunCommand = async (invocation) => {
  const { place, output } = invocation;
  // Reports a mistake in surety.yaml here, not in a log.
  loadConfig(place);
  if (await answers(place)) return tell(invocation, 'already running');
  prepareDirectory(place);
  output.progress('starting the keeper …');
  const keeper = await ensureKeeper(place.state);
  try {
    output.progress('starting the daemon …');
    await startDaemon(keeper, place);
  } finally {
    keeper.close();
  }
  return tell(invocation, 'started');
};

/** Reported here; keeper and daemon would each fail at the first file that they write. */
function prepareDirectory({ state }: WorkspacePlace): void {
  const probe = join(state, 'probe');
  try {
    writePrivateFile(probe, 'x\n');
    rmSync(probe);
  } catch (error) {
    const { code, message: reason } = error as NodeJS.ErrnoException;
    throw code === 'ENOSPC'
      ? fault('STORE_FULL', {}, error)
      : fault('STORE_READ_ONLY', { reason }, error);
  }
}

/** The port of a killed daemon may belong to another program now, which does not know our token. */
async function answers(place: WorkspacePlace): Promise<boolean> {
  try {
    const client = connectAsOwner(place);
    await client.call('GET /v1/health', {}, { answerMsMax: healthMsMax });
    const status = await client.call('GET /v1/status', {}).catch((error) => error);
    return !isFault(status, 'UNAUTHORIZED');
  } catch {
    return false;
  }
}

/**
 * The keeper refuses while another `up` starts a daemon, and between the death of a killed daemon
 * and its detection.
 */
async function startDaemon(keeper: Keeper, place: WorkspacePlace): Promise<void> {
  const deadline = performance.now() + startMsMax;
  for (;;) {
    try {
      return await waitForDaemon(keeper, await startDaemonProcess(keeper, place), place);
    } catch (error) {
      const isRunning = isFault(error, 'PROCESS_RUNNING');
      if (!isRunning || performance.now() > deadline) throw error;
      if (await answers(place)) return;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  }
}

function startDaemonProcess(keeper: Keeper, place: WorkspacePlace): Promise<Child> {
  const main = fileURLToPath(new URL('../../../runtime/daemon-main.ts', import.meta.url));
  return keeper.start({
    name: 'daemon',
    command: nodeCommand(main, place.root),
    directory: place.root,
    environment: daemonEnvironment(),
    leaseMs: null,
    logFile: logFile(place),
    // Without the daemon, agents are blocked and recoveries stop.
    restart: { backoffMs: restartAfterMs, most: keeperLimits.restartsMax, onlyFailed: true },
  });
}

/** The token of a person must not reach programs that the daemon runs for others. */
function daemonEnvironment(): Record<string, string> {
  const { SURETY_TOKEN: _, ...environment } = process.env;
  return environment as Record<string, string>;
}

/** The daemon writes its file when it serves; until then its start may still fail. */
async function waitForDaemon(keeper: Keeper, child: Child, place: WorkspacePlace): Promise<void> {
  const deadline = performance.now() + startMsMax;
  while (performance.now() < deadline) {
    if (readDaemonFile(place)?.pid === child.pid) return;
    const now = (await keeper.list()).find(({ name }) => name === 'daemon');
    if (now?.state !== 'running') {
      // The caller gets the reason. Another start would fail again.
      await keeper.stop('daemon');
      throw startFault(place);
    }
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  const reason = `it did not answer within ${startMsMax / 1_000} s`;
  throw fault('DAEMON_START_FAILED', { reason });
}

/** The reason is the last line of its log. */
function startFault(place: WorkspacePlace): Error {
  for (const line of lastLines(logFile(place), 20).reverse()) {
    const entry = parse(line);
    if (entry?.event === 'start-failed') return faultFromReport(entry as FaultReport);
  }
  return fault('DAEMON_START_FAILED', { reason: 'it ended at once' });
}

function parse(line: string): Record<string, unknown> | undefined {
  return tryOr(() => JSON.parse(line) as Record<string, unknown>, undefined);
}

async function tell({ place, output }: Invocation, what: string): Promise<ExitCode> {
  const status = await connectAsOwner(place).call('GET /v1/status', {});
  const { hash, problem } = status.policy;
  const { port } = readDaemonFile(place) as DaemonFile;
  output.value({ ...status, port });
  output.line(`${output.tone('good', 'up')}  Surety ${status.version} ${what} (pid ${status.pid})`);
  output.line(`    api      http://127.0.0.1:${port}/v1/openapi.json`);
  output.line(`    ledger   ${status.ledger.store}, ${status.ledger.head.seq} entries`);
  for (const proposal of status.interrupted) {
    output.line(
      `    ${output.tone('warn', 'unknown')}  proposal ${proposal} was interrupted by a crash`,
    );
  }
  if (problem) {
    const effect = hash ? 'Another policy is in force' : 'Every call of every agent is denied';
    output.line(
      `    ${output.tone('bad', 'policy')}   the file is not in force. ${effect}. ${problem}`,
    );
  }
  output.line(output.tone('dim', '    next     surety status · surety ledger tail · surety down'));
  return problem && !hash ? exitCodes.bad : exitCodes.ok;
}

function logFile(place: WorkspacePlace): string {
  return join(place.logs, 'daemon.log');
}
