import type { JsonObject } from '../../kernel/index.ts';
import type { Capture, ProbeInstance, ProbeStatus } from '../../probes/index.ts';
import { connectTelemetry, type RecordedRows, readTelemetryFile } from '../../telemetry/index.ts';

/** Tells telemetry; whoever does not hear it has it in the ledger. */
export type TellProbe = (rows: Pick<RecordedRows, 'logs' | 'metrics'>) => void;

export function createProbeTell(state: string): TellProbe {
  const telemetry = connectTelemetry(state);
  return (rows) => {
    if (readTelemetryFile(state) === undefined) return;
    telemetry.ask('POST /control/record', rows).catch(() => undefined);
  };
}

type Shown = Pick<ProbeStatus, 'owner' | 'probe' | 'kind' | 'service' | 'lane' | 'file' | 'line'>;

const origin = ({ service, lane }: Shown, pid: number) => ({
  service: service ?? '',
  instance: `pid ${pid}`,
  lane: lane ?? '',
});

/** Captures as rows of telemetry: beside logs, and beside metrics where they are numbers. */
export const probeRows = {
  log(shown: Shown, capture: Capture) {
    const { at, pid, values, message, requestId, traceId = '' } = capture;
    const { owner, probe, kind, file, line } = shown;
    const told = { owner, probe, kind, file, line, values };
    // The owner comes first: by it, queries of agents see only captures of their own.
    const attributes = { ...told, ...(requestId ? { requestId } : {}) };
    return {
      ...origin(shown, pid),
      atNs: `${at}000000`,
      traceId,
      severity: kind === 'exception' ? ('error' as const) : ('info' as const),
      text: message ?? `${kind} at ${file}:${line} ${JSON.stringify(values)}`,
      attributes: JSON.stringify(attributes),
    };
  },
  metrics(shown: Shown, instances: readonly ProbeInstance[], now: number) {
    const labels = JSON.stringify({ owner: shown.owner, probe: shown.probe });
    return instances.flatMap(({ pid, summary }) => {
      if (!summary) return [];
      const { hits, distribution } = summary;
      const values: Record<string, number | undefined> = {
        'probe.hits': hits,
        'probe.value.p50': distribution?.p50,
        'probe.value.p99': distribution?.p99,
      };
      const unit = shown.kind === 'duration' ? 'ms' : '';
      return Object.entries(values).flatMap(([name, value]): JsonObject[] =>
        value === undefined
          ? []
          : [{ ...origin(shown, pid), atNs: `${now}000000`, name, unit, value, labels }],
      );
    });
  },
};
