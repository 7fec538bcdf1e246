import { type ControlCall, callControl, fault, isFault } from '../kernel/index.ts';
import { telemetryLimits } from './limits.ts';
import type { SystemNamesUpdate } from './otlp/index.ts';
import type { TelemetryStatus } from './ports.ts';
import { readTelemetryFile } from './state-file.ts';

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

/** `path` is below /control: `query`. */
export type TelemetryCall = ControlCall;

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
    const { port, token } = file;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const target = { port, headers, answerMsMax: telemetryLimits.telemetryAnswerMsMax };
    return await callControl<Value>(target, { ...call, path: `/control/${call.path}` });
  } catch (error) {
    if (isFault(error)) throw error;
    throw fault('TELEMETRY_UNREACHABLE', { reason: (error as Error).message }, error);
  }
}
