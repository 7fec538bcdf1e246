export { drawGraph, serviceGraph, traceOf } from './graph/index.ts';
export { askPrometheus, builtInQueries, namedQueries } from './prometheus/remote.ts';
export type { SqlAnswer, SqlQuestion } from './query/answer.ts';
export {
  type Asker,
  ask,
  askSql,
  parameterMeanings,
  questions,
  type ResultTable,
  tableOf,
  viewColumns,
} from './questions/index.ts';

import { fileURLToPath } from 'node:url';

export { connectTelemetry, type Telemetry, type TelemetryCall } from './client.ts';
export type { SystemNamesUpdate } from './otlp/index.ts';
export type { TelemetryStatus } from './ports.ts';
export type {
  AlertRow,
  DeploymentRow,
  HopRow,
  LogRow,
  MetricRow,
  Nanoseconds,
  Origin,
  Sink,
  SpanRow,
  TelemetryRows,
} from './rows.ts';
export {
  settingsHash,
  type TelemetrySettings,
  writeTelemetrySettings,
} from './settings.ts';
export { readTelemetryFile, type TelemetryFile } from './state-file.ts';

/** The program of telemetry: `node <telemetryMain> <stateDirectory>`. Beside this file. */
export const telemetryMain: string = fileURLToPath(new URL('./main.ts', import.meta.url));
