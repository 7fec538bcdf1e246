import type { OperationResponse } from '../../http/index.ts';
import type { TelemetryStatus } from '../../telemetry/index.ts';

type View = OperationResponse<'GET /v1/status'>['telemetry'];

/** Telemetry in `surety status`. */
export function telemetryView(status: TelemetryStatus | null): View {
  if (!status) return null;
  const { pid, port, grpcPort, rowsPerSecond, counts, closedBecause, sink, store } = status;
  const refused = Object.values(sink.refused).flatMap((rows) => Object.values(rows));
  return {
    pid,
    port,
    grpcPort,
    rowsPerSecond,
    rowsStored: sum(Object.values(sink.stored)),
    rowsWaiting: sink.waiting,
    rowsRefused: sum(refused),
    rowsLost: sink.lost,
    bytes: store.bytes,
    counts: { ...counts },
    trouble: closedBecause ?? sink.trouble,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
