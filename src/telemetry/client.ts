import {
  type ControlCall,
  callControl,
  checkSocketPlace,
  fault,
  isFault,
  socketPlace,
} from '../kernel/index.ts';
import type { TelemetryCalls } from './control-contract.ts';
import { telemetryLimits } from './limits.ts';
import { readTelemetryFile } from './state-file.ts';

/** The telemetry of a directory. Throws TELEMETRY_UNREACHABLE while no process answers. */
export interface Telemetry {
  ask<Name extends keyof TelemetryCalls>(
    call: Name,
    ...body: undefined extends TelemetryCalls[Name]['body'] ? [] : [TelemetryCalls[Name]['body']]
  ): Promise<TelemetryCalls[Name]['answer']>;
}

/** Connects for each call, so the process may start later or restart. */
export function connectTelemetry(stateDirectory: string): Telemetry {
  return { ask: (call, ...[body]) => send(stateDirectory, call, body) };
}

async function send<Answer>(
  stateDirectory: string,
  call: keyof TelemetryCalls,
  body: object | undefined,
): Promise<Answer> {
  try {
    if (!readTelemetryFile(stateDirectory))
      throw fault('TELEMETRY_UNREACHABLE', { reason: 'none was started here' });
    const place = socketPlace(stateDirectory, 'telemetry');
    checkSocketPlace(place);
    const headers = { 'content-type': 'application/json' };
    const { telemetryStatusMsMax, telemetryAnswerMsMax } = telemetryLimits;
    const answerMsMax =
      call === 'GET /control/status' ? telemetryStatusMsMax : telemetryAnswerMsMax;
    const target = { socketPath: place.path, headers, answerMsMax };
    const [method, path] = call.split(' ') as [ControlCall['method'], string];
    return await callControl<Answer>(target, { method, path, ...(body ? { body } : {}) });
  } catch (error) {
    if (isFault(error)) throw error;
    throw fault('TELEMETRY_UNREACHABLE', { reason: (error as Error).message }, error);
  }
}
