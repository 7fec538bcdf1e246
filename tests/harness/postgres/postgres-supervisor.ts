/**
 * Runs as its own process between the harness and the server, and owns the data directory. The
 * channel to the harness closes however the harness ends, SIGKILL included; then the server is
 * stopped and the directory removed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClusterPlan, dataDirectory, makeCluster, makeDirectory } from './postgres-cluster.ts';
import { commandEnvironment } from './postgres-command.ts';
import { credentials } from './postgres-identity.ts';
import { postgresLimits } from './postgres-limits.ts';
import { logFile, type StartRequest, type SupervisorReport } from './postgres-messages.ts';

const plan = JSON.parse(process.argv[2] ?? '') as ClusterPlan;
const directory = await makeDirectory(plan).catch(refuse);
let server: ChildProcess | undefined;
/** One thing at a time: leaving in the middle of initdb would leave its files behind. */
let work: Promise<void> = prepare();

process.on('message', (request: StartRequest) => {
  work = work.then(() => start(request.port)).catch(reportFailure);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, leave);
process.once('disconnect', leave);
// The harness may have died before we listened.
if (!process.connected) leave();

async function prepare(): Promise<void> {
  try {
    await makeCluster(plan, directory);
    report({ kind: 'prepared', directory });
  } catch (error) {
    reportFailure(error);
  }
}

async function start(port: number): Promise<void> {
  await halt();
  const child = launch(port);
  child.once('exit', () => report({ kind: 'exited', pid: child.pid ?? 0 }));
  await once(child, 'spawn');
  // Only now: a program that could not be run never exits, and halt() would wait for it.
  server = child;
  report({ kind: 'started', pid: child.pid ?? 0 });
}

function launch(port: number): ChildProcess {
  const log = openSync(logFile(directory), 'w');
  try {
    return spawn(join(plan.binaries.directory, 'postgres'), serverArguments(port), {
      ...credentials(plan.identity),
      cwd: directory,
      env: { ...commandEnvironment(), ...plan.binaries.env },
      stdio: ['ignore', log, log],
    });
  } finally {
    closeSync(log);
  }
}

function serverArguments(port: number): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    // The path of a temporary directory on macOS is longer than a socket's name may be.
    unix_socket_directories: '',
    // Benchmarks measure what durability costs.
    fsync: 'on',
    synchronous_commit: 'on',
    shared_buffers: '16MB',
    max_connections: 200,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', dataDirectory(directory), ...options];
}

/** Fast shutdown; a server that doesn't manage it in time is killed. */
async function halt(): Promise<void> {
  const child = server;
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  const deadline = setTimeout(() => child.kill('SIGKILL'), postgresLimits.stopMsMax);
  await exited;
  clearTimeout(deadline);
}

function leave(): void {
  work = work.finally(async () => {
    await halt();
    // Children of a killed server need a moment to notice, and may still be writing.
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
    process.exit(0);
  });
}

/** Without a directory there is nothing to clean up. */
function refuse(error: unknown): never {
  reportFailure(error);
  process.disconnect();
  process.exit(1);
}

function reportFailure(error: unknown): void {
  report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
}

function report(message: SupervisorReport): void {
  if (process.connected) process.send?.(message, () => {});
}
