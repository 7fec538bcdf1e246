export { drawGraph, serviceGraph, traceOf } from './graph/index.ts';
export type { SystemNamesUpdate } from './otlp/index.ts';
export {
  collectorPrefix,
  senderCredential,
  senderHeader,
  senderKey,
} from './otlp/senders.ts';
export { askPrometheus, namedQueries } from './prometheus/remote.ts';
export type { ScrapeTarget } from './prometheus/scrape.ts';
export {
  type Asker,
  ask,
  askSql,
  parameterMeanings,
  questions,
  type ResultTable,
  tableOf,
  textLiteral,
  timeLiteral,
  viewColumns,
} from './questions/index.ts';

import { fileURLToPath } from 'node:url';

export { connectTelemetry, type Telemetry } from './client.ts';
export type { RecordedRows } from './control-contract.ts';
export type { SqlQuestion } from './query/answer.ts';

export {
  settingsHash,
  type TelemetrySettings,
  writeTelemetrySettings,
} from './settings.ts';
export { readTelemetryFile, type TelemetryFile } from './state-file.ts';
export type { TelemetryStatus } from './status.ts';

/** The telemetry program, next to this file: `node <telemetryMain> <stateDirectory>`. */
export const telemetryMain: string = fileURLToPath(new URL('./main.ts', import.meta.url));
