import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createClock,
  createLog,
  endSignal,
  existingDirectory,
  fault,
  isFault,
  type Json,
  type JsonObject,
  listenPrivately,
  lockDirectory,
  openOnPort,
  portRanges,
  rememberSecret,
  removeSocket,
  socketPlace,
  surviveErrors,
} from '../kernel/index.ts';
import { createControlServer } from './control.ts';
import type { TelemetryControls } from './control-contract.ts';
import { openDesk, type TelemetryHub } from './desk.ts';
import { listenGrpc, type SystemNamesUpdate } from './otlp/index.ts';
import type { SqlQuestion } from './query/answer.ts';
import { createTelemetryServer } from './server.ts';
import { readTelemetrySettings, type TelemetrySettings } from './settings.ts';
import { readTelemetryFile, writeTelemetryFile } from './state-file.ts';

/**
 * The life of a telemetry process, from the lock on its directory to its last row. Without
 * configured ports it takes its previous ones, because running services still report to them.
 */
export async function runTelemetry(stateDirectory: string): Promise<void> {
  const directory = existingDirectory(stateDirectory, 'src/telemetry/main.ts');
  const lock = lockDirectory(directory, 'telemetry');
  const clock = createClock();
  const log = createLog('telemetry', clock, (line) => process.stdout.write(line));
  surviveErrors(log);
  const ending = endSignal();
  const settings = readTelemetrySettings(directory);
  const desk = await openDesk(directory, settings, { clock, log });
  const doors = await openPorts(directory, settings, desk);
  log('info', 'telemetry-started', { pid: process.pid, ...doors.ports });

  log('info', 'telemetry-leaving', { reason: await ending });
  await doors.close();
  await desk.close();
  lock.release();
}

interface OpenPorts {
  readonly ports: { readonly port: number; readonly grpcPort: number };
  close(): Promise<void>;
}

/** Opens both ports and the socket for control, and publishes the ports in a file. */
async function openPorts(
  directory: string,
  settings: TelemetrySettings,
  desk: TelemetryHub,
): Promise<OpenPorts> {
  const former = readTelemetryFile(directory);
  let ports = { port: 0, grpcPort: 0 };
  const { receiver, page } = desk;
  const controls: TelemetryControls = {
    ...desk.controls,
    'GET /control/status': () => ({ ...desk.status(), pid: process.pid, ...ports }),
    'PUT /control/names': (names) => desk.setNames(names as SystemNamesUpdate),
    'POST /control/query': (question) => desk.query(checkedQuestion(question)),
    'PUT /control/secrets': ({ values }) => {
      keepSecrets(values);
      receiver.admission.closedBecause = null;
    },
  };
  const server = createTelemetryServer({ receiver, metrics: page });
  const port = await onPort(settings.port, former?.port, (wanted) => listen(server, wanted));
  const grpc = await onPort(settings.grpcPort, former?.grpcPort, (wanted) =>
    listenGrpc(wanted, receiver),
  );
  ports = { port, grpcPort: grpc.port };
  const control = createControlServer(controls);
  const place = socketPlace(directory, 'telemetry');
  await listenPrivately(control, place);
  writeTelemetryFile(directory, { pid: process.pid, ...ports });
  const close = async (): Promise<void> => {
    receiver.admission.closedBecause = 'telemetry is leaving';
    await Promise.all([closeServer(server), closeServer(control), grpc.close()]);
    removeSocket(place);
  };
  return { ports, close };
}

/** A caller on the socket is ours, but may have another version. */
function checkedQuestion(body: JsonObject): SqlQuestion {
  const { sql, rowsMax, msMax, lanes, views, services, capturesOf, caller } = body;
  const isCount = (value: Json | undefined): boolean =>
    value === undefined || (typeof value === 'number' && value >= 0);
  const isList = [lanes, views, services].every(
    (list) =>
      list === undefined || (Array.isArray(list) && list.every((item) => typeof item === 'string')),
  );
  const isCaller = [capturesOf, caller].every(
    (name) => name === undefined || typeof name === 'string',
  );
  if (typeof sql === 'string' && isCount(rowsMax) && isCount(msMax) && isList && isCaller)
    return body as SqlQuestion;
  const reason =
    'sql must be a text; rowsMax and msMax, where they are given, numbers; lanes, views and services lists of texts; capturesOf and caller texts';
  throw fault('REQUEST_INVALID', { operation: 'POST /control/query', reason });
}

/** Only in memory: no file contains the values of secrets. */
function keepSecrets(values: Json | undefined): void {
  for (const value of Array.isArray(values) ? values : []) {
    if (typeof value === 'string') rememberSecret(value);
  }
}

/** A previous port that is now in use is given up; a configured one is not. */
async function onPort<Value>(
  fixed: number,
  former: number | undefined,
  open: (port: number) => Promise<Value>,
): Promise<Value> {
  if (fixed !== 0) return open(fixed);
  const isTaken = (error: unknown): boolean => isFault(error, 'TELEMETRY_PORT_TAKEN');
  return openOnPort({ range: portRanges.own, former }, open, isTaken);
}

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

const drainMsMax = 200;

async function closeServer(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), drainMsMax);
  server.closeIdleConnections();
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(timer);
}
