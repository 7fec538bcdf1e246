import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryOr, writePrivateFile } from '../kernel/index.ts';

/** What a running telemetry process publishes to programs of the same user. */
export interface TelemetryFile {
  readonly pid: number;
  /** OTLP over HTTP and `/metrics`, on 127.0.0.1. */
  readonly port: number;
  /** OTLP over gRPC, on 127.0.0.1. */
  readonly grpcPort: number;
}

export function writeTelemetryFile(stateDirectory: string, file: TelemetryFile): void {
  writePrivateFile(pathIn(stateDirectory), `${JSON.stringify(file)}\n`);
}

/**
 * The file stays after the process has ended, because running services still report to its ports.
 */
export function readTelemetryFile(stateDirectory: string): TelemetryFile | undefined {
  return tryOr(() => check(JSON.parse(readFileSync(pathIn(stateDirectory), 'utf8'))), undefined);
}

function pathIn(stateDirectory: string): string {
  return join(stateDirectory, 'telemetry.json');
}

function check({ pid, port, grpcPort }: TelemetryFile): TelemetryFile | undefined {
  return isPort(port) && isPort(grpcPort) ? { pid, port, grpcPort } : undefined;
}

function isPort(port: unknown): boolean {
  return Number.isInteger(port) && (port as number) > 0 && (port as number) <= 65_535;
}
