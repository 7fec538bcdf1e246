import { connectTelemetry, readTelemetryFile } from '../telemetry/index.ts';
import type { Check } from './doctor-check.ts';
import { loadConfig } from './load-config.ts';
import type { Place } from './place.ts';
import { telemetryView } from './telemetry-view.ts';

const mebibyte = 1024 * 1024;

/** Whether what services report is stored, and how much of it was not. */
export async function checkTelemetry(place: Place): Promise<Omit<Check, 'name'>> {
  if (!loadConfig(place).telemetry.enabled) {
    return { level: 'note', detail: 'off: telemetry.enabled is false in surety.yaml' };
  }
  if (!readTelemetryFile(place.state)) {
    return { level: 'note', detail: 'none yet: it comes with the first service' };
  }
  const status = await connectTelemetry(place.state)
    .status()
    .catch(() => null);
  const view = telemetryView(status);
  if (!view) return { level: 'note', detail: 'not running', remedy: 'surety system up' };
  const { port, grpcPort, rowsStored, rowsRefused, bytes, trouble } = view;
  const size = `${Math.ceil(bytes / mebibyte)} MiB`;
  const detail = `ports ${port} and ${grpcPort}, ${rowsStored} rows stored, ${size}`;
  if (trouble !== null) return { level: 'bad', detail: `${detail}; ${trouble}`, remedy: diskHint };
  if (rowsRefused === 0) return { level: 'ok', detail };
  return { level: 'warn', detail: `${detail}; ${rowsRefused} rows refused`, remedy: busyHint };
}

const diskHint = 'free some space, or lower telemetry.retention.megabytes in surety.yaml';
const busyHint = 'services report more than can be stored: sample traces, or log less';
