import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type Fault, type FaultReport, fault, faultFromReport, isFault } from '../kernel/index.ts';
import { telemetryLimits } from './limits.ts';
import type { SystemNamesUpdate } from './otlp/index.ts';
import type { TelemetryStatus } from './ports.ts';
import { readTelemetryFile, type TelemetryFile } from './state-file.ts';

/** The telemetry of a directory. Every method throws TELEMETRY_UNREACHABLE while there is none. */
export interface Telemetry {
  status(): Promise<TelemetryStatus>;
  /** How the system calls what spans only know by address. */
  setNames(names: SystemNamesUpdate): Promise<void>;
  /** What must not be stored. */
  setSecrets(values: readonly string[]): Promise<void>;
  /** Any of the other paths below /control, told and answered in JSON. */
  ask<Value>(call: TelemetryCall): Promise<Value>;
}

export interface TelemetryCall {
  readonly method: 'GET' | 'PUT' | 'POST';
  /** Below /control: `query`. */
  readonly path: string;
  readonly body?: object;
}

/** For a process that is there or will be: each call dials it anew. */
export function connectTelemetry(stateDirectory: string): Telemetry {
  const ask = <Value>(call: TelemetryCall): Promise<Value> => send<Value>(stateDirectory, call);
  return {
    status: () => ask({ method: 'GET', path: 'status' }),
    setNames: async (names) => void (await ask({ method: 'PUT', path: 'names', body: names })),
    setSecrets: async (values) =>
      void (await ask({ method: 'PUT', path: 'secrets', body: { values } })),
    ask,
  };
}

async function send<Value>(stateDirectory: string, call: TelemetryCall): Promise<Value> {
  try {
    const file = readTelemetryFile(stateDirectory);
    if (!file) throw fault('TELEMETRY_UNREACHABLE', { reason: 'none was started here' });
    const { status, value } = await exchange(file, call);
    if (status !== 200) throw faultFromReport((value as { fault: FaultReport }).fault);
    return value as Value;
  } catch (error) {
    throw isFault(error) ? error : unreachable(error);
  }
}

async function exchange(
  { port, token }: TelemetryFile,
  { method, path, body }: TelemetryCall,
): Promise<{ status: number | undefined; value: unknown }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const signal = AbortSignal.timeout(telemetryLimits.telemetryAnswerMsMax);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const to = { host: '127.0.0.1', port, method, path: `/control/${path}`, headers };
  // A new connection each time: one that was kept may lead to a process that is no longer there.
  const request = httpRequest({ ...to, signal, agent: false }, resolve);
  request.on('error', reject);
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const answer = await promise;
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return {
    status: answer.statusCode,
    value: JSON.parse(Buffer.concat(chunks).toString('utf8')),
  };
}

function unreachable(error: unknown): Fault {
  return fault('TELEMETRY_UNREACHABLE', { reason: (error as Error).message }, error);
}
