import { isPortFree } from '../../kernel/index.ts';
import { connectTelemetry, readTelemetryFile } from '../../telemetry/index.ts';
import { loadConfig } from '../load-config.ts';
import type { WorkspacePlace } from '../place.ts';
import { telemetryView } from '../views/telemetry-view.ts';
import type { DoctorCheck } from './doctor-check.ts';

const mebibyte = 1024 * 1024;

/** Whether reports of services are stored, and how many were lost. */
export async function checkTelemetry(place: WorkspacePlace): Promise<Omit<DoctorCheck, 'name'>> {
  const { enabled, port: fixedPort, grpcPort: fixedGrpcPort } = loadConfig(place).telemetry;
  if (!enabled) {
    return { level: 'note', detail: 'off: telemetry.enabled is false in surety.yaml' };
  }
  const status = await connectTelemetry(place.state)
    .ask('GET /control/status')
    .catch(() => null);
  const view = telemetryView(status);
  if (!view) return whyAway(place, [fixedPort, fixedGrpcPort]);
  const { port, grpcPort, rowsStored, rowsRefused, bytes, trouble } = view;
  const size = `${Math.ceil(bytes / mebibyte)} MiB`;
  const detail = `ports ${port} and ${grpcPort}, ${rowsStored} rows stored, ${size}`;
  if (trouble !== null) {
    const remedy = status?.closedBecause == null ? diskHint : 'surety up';
    return { level: 'bad', detail: `${detail}; ${trouble}`, remedy };
  }
  if (rowsRefused === 0) return { level: 'ok', detail };
  return { level: 'warn', detail: `${detail}; ${rowsRefused} rows refused`, remedy: busyHint };
}

/** A fixed port in use prevents its start; the system starts without it. */
async function whyAway(
  place: WorkspacePlace,
  fixed: readonly (number | undefined)[],
): Promise<Omit<DoctorCheck, 'name'>> {
  for (const port of fixed) {
    if (port === undefined || (await isPortFree(port, '127.0.0.1'))) continue;
    return { level: 'bad', detail: `not running: port ${port} is in use`, remedy: portHint };
  }
  if (!readTelemetryFile(place.state)) {
    return { level: 'note', detail: 'none yet: it comes with the first service' };
  }
  return { level: 'note', detail: 'not running', remedy: 'surety system up' };
}

const portHint = 'stop the program on that port, or set another one under telemetry in surety.yaml';
const diskHint = 'free some space, or lower telemetry.retention.megabytes in surety.yaml';
const busyHint = 'services report more than can be stored: sample traces, or log less';
