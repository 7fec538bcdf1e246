import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, type Json, sha256, tryOr, writePrivateFile } from '../kernel/index.ts';
import type { ExportSettings } from './export/exporter.ts';

/** The settings under `telemetry` in surety.yaml, as the daemon passes them to the process. */
export interface TelemetrySettings {
  /** Fixed ports; 0 takes the previous ones, or free ones. */
  readonly port: number;
  readonly grpcPort: number;
  readonly retention: { readonly hours: number; readonly megabytes: number };
  /** Who gets a copy of incoming rows. */
  readonly export?: ExportSettings | undefined;
}

const defaults: TelemetrySettings = {
  port: 0,
  grpcPort: 0,
  retention: { hours: 72, megabytes: 2_048 },
};

/**
 * In a private file, since headers of exports may contain secrets; read when the process starts.
 */
export function writeTelemetrySettings(stateDirectory: string, settings: TelemetrySettings): void {
  writePrivateFile(pathIn(stateDirectory), `${JSON.stringify(settings)}\n`);
}

export function readTelemetrySettings(stateDirectory: string): TelemetrySettings {
  return tryOr(
    () => ({ ...defaults, ...JSON.parse(readFileSync(pathIn(stateDirectory), 'utf8')) }),
    defaults,
  );
}

/** Tells the daemon whether a process runs with other settings than the current ones. */
export function settingsHash(settings: TelemetrySettings): string {
  return sha256(canonicalJson(JSON.parse(JSON.stringify(settings)) as Json)).slice(0, 16);
}

function pathIn(stateDirectory: string): string {
  return join(stateDirectory, 'telemetry-settings.json');
}
