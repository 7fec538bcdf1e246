import { once } from 'node:events';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  type Clock,
  createClock,
  createLog,
  fault,
  type Log,
  lockDirectory,
  systemRandom,
} from '../kernel/index.ts';
import type { Controls } from './control.ts';
import { createEdges, type EdgesStatus } from './edges.ts';
import { createFrontDoor } from './front-door.ts';
import { Admission, Intake, LaneFinder, listenGrpc, Names, type NamesTold } from './otlp/index.ts';
import { Rate } from './rate.ts';
import type { Sink } from './rows.ts';
import { readTelemetrySettings, settingsHash, type TelemetrySettings } from './settings.ts';
import { readTelemetryFile, type TelemetryFile, writeTelemetryFile } from './state-file.ts';
import { followOutput } from './tail/index.ts';

export interface TelemetryStatus extends EdgesStatus {
  readonly pid: number;
  readonly port: number;
  readonly grpcPort: number;
  readonly startedAt: number;
  /** Of the settings that it was started with. */
  readonly settings: string;
  readonly rowsPerSecond: number;
  /** What happened on the way in, by what it is called. */
  readonly counts: Readonly<Record<string, number>>;
}

/** A telemetry process' life, from the lock on its directory to its last row. */
export async function runTelemetry(stateDirectory: string): Promise<void> {
  const directory = realDirectory(stateDirectory);
  const lock = lockDirectory(directory, 'telemetry');
  const clock = createClock();
  const log = createLog('telemetry', clock, (line) => process.stdout.write(line));
  outliveMishaps(log);
  const told = firstSignal();
  const settings = readTelemetrySettings(directory);
  const running = await start(directory, settings, { clock, log });
  log('info', 'telemetry-started', { pid: process.pid, port: running.port });
  log('info', 'telemetry-leaving', { reason: await told });
  await running.close();
  lock.release();
}

interface StartDeps {
  readonly clock: Clock;
  readonly log: Log;
}

async function start(
  directory: string,
  settings: TelemetrySettings,
  { clock, log }: StartDeps,
): Promise<{ port: number; close(): Promise<void> }> {
  const former = readTelemetryFile(directory);
  const names = new Names();
  const lanes = new LaneFinder({ names, traceSecret: readTraceSecret(directory) });
  const sink: Sink = { take: () => ({ refused: 0 }), isFull: () => false };
  const edges = createEdges({ sink, clock, export: settings.export });
  const output = followOutput(directory, { sink: edges.sink, clock });
  const intake = new Intake({ clock, sink: output.sink, names, lanes });
  const admission = new Admission();
  const receiver = { intake, admission, log };
  const rate = new Rate(() => intake.counts.get('rows received'));
  const startedAt = clock.now();
  const token = former?.token ?? Buffer.from(systemRandom(32)).toString('hex');
  const status = (): TelemetryStatus => ({
    ...withoutToken(file),
    startedAt,
    settings: settingsHash(settings),
    rowsPerSecond: rate.perSecond(),
    counts: { ...intake.counts.all(), ...output.counts() },
    ...edges.status(),
  });
  const controls: Controls = {
    ...edges.controls,
    'GET /control/status': status,
    'PUT /control/names': (told) => names.tell(told as NamesTold),
  };
  const server = createFrontDoor({
    receiver,
    controls,
    token,
    metrics: () => edges.page(intake.counts.all()),
  });
  const port = await listen(server, settings.port || (former?.port ?? 0));
  const grpc = await listenGrpc(settings.grpcPort || (former?.grpcPort ?? 0), receiver);
  const file: TelemetryFile = { pid: process.pid, port, grpcPort: grpc.port, token };
  writeTelemetryFile(directory, file);
  const close = async (): Promise<void> => {
    admission.isLeaving = true;
    rate.stop();
    await Promise.all([closeServer(server), grpc.close()]);
    output.close();
    await edges.close();
  };
  return { port, close };
}

function withoutToken({ token: _, ...file }: TelemetryFile): Omit<TelemetryFile, 'token'> {
  return file;
}

/** A port that somebody else has taken meanwhile is given up, unless surety.yaml asks for it. */
async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const reason = (error as Error).message;
    throw fault('TELEMETRY_PORT_TAKEN', { port, reason }, error);
  }
  return (server.address() as AddressInfo).port;
}

/** The router and services of this directory have the same one. */
function readTraceSecret(directory: string): string {
  try {
    return readFileSync(join(directory, 'trace-secret'), 'utf8').trim();
  } catch {
    return '';
  }
}

/** Taking the lock would make it: one that comes late must not bring back what was deleted. */
function realDirectory(stateDirectory: string): string {
  if (existsSync(stateDirectory)) return realpathSync(stateDirectory);
  const reason = `There is no directory ${stateDirectory}.`;
  throw fault('USAGE', { reason, help: 'src/telemetry/main.ts' });
}

/** One message that goes wrong in an unforeseen way must not take all others with it. */
function outliveMishaps(log: Log): void {
  // A log that can't be written is no reason to write into it: that would go round for ever.
  process.stdout.on('error', () => {});
  process.on('uncaughtException', (error, origin) => {
    log('error', 'mishap', { origin, reason: String(error), stack: error?.stack ?? '' });
  });
}

async function firstSignal(): Promise<string> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  return Promise.race(signals.map((signal) => once(process, signal).then(() => signal)));
}

const drainMsMax = 200;

async function closeServer(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), drainMsMax);
  server.closeIdleConnections();
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(timer);
}
