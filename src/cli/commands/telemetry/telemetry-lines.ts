import type { OperationResponse } from '../../../http/index.ts';

type Status = Pick<OperationResponse<'GET /v1/status'>, 'telemetry' | 'telemetryProblem'>;
type Telemetry = Status['telemetry'];

const mebibyte = 1024 * 1024;

/** Where it listens, how it keeps up, and what was lost on the way. */
export function telemetryLines({ telemetry, telemetryProblem }: Status): string[] {
  if (!telemetry) return telemetryProblem === null ? [] : [`none: ${telemetryProblem}`];
  const { pid, port, grpcPort, rowsPerSecond, rowsStored, rowsWaiting, bytes } = telemetry;
  const megabytes = Math.ceil(bytes / mebibyte);
  return [
    `pid ${pid}, OTLP on 127.0.0.1:${port} (HTTP) and :${grpcPort} (gRPC)`,
    `${rowsPerSecond} rows/s, ${rowsStored} stored, ${rowsWaiting} waiting, ${megabytes} MiB`,
    ...lossLines(telemetry),
  ];
}

function lossLines({ rowsRefused, rowsLost, counts, trouble }: NonNullable<Telemetry>): string[] {
  const told = Object.entries(counts).filter(([what]) => what !== 'rows received');
  const happened = told.map(([what, count]) => `${count} ${what}`).join(', ');
  return [
    ...(trouble === null ? [] : [`cannot store at present: ${trouble}`]),
    ...(rowsRefused === 0 ? [] : [`${rowsRefused} rows were refused: the queue or disk was full`]),
    ...(rowsLost === 0 ? [] : [`at most ${rowsLost} rows were lost when it was killed`]),
    ...(happened === '' ? [] : [happened]),
  ];
}
