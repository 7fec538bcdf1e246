import { BucketSums, namedRows } from './counted-rows.ts';
import { type Series, type ServiceCall, toSeconds } from './series.ts';

const columns = {
  time: ['startTimeMillis', 'startTime', 'time', 'timestamp'],
  service: ['serviceName', 'service', 'cmdb_id'],
  span: ['spanID', 'spanId', 'span_id'],
  parent: ['parentSpanID', 'parentSpanId', 'parent_span', 'parent_id'],
  duration: ['duration', 'elapsedTime', 'duration_ms'],
  status: ['statusCode', 'status_code', 'status'],
};

interface Span {
  readonly service: string;
  readonly parent: string;
  readonly time: number;
  readonly duration: number;
  readonly isError: boolean;
  callsDuration: number;
  hasFailedCall: boolean;
}

const bucketSeconds = 5;

/**
 * What services did themselves: time without that of the calls they made, and failures that no call
 * explains. A caller that only waits for a slow service is not slow itself.
 */
export async function readTraceTable(
  file: string,
): Promise<{ series: Series[]; calls: ServiceCall[] }> {
  const spans = new Map<string, Span>();
  for await (const row of namedRows(file, columns)) {
    const time = toSeconds(Number(row('time')) || Date.parse(row('time')));
    if (!Number.isFinite(time) || row('service') === '') continue;
    spans.set(row('span'), {
      service: row('service'),
      parent: row('parent'),
      time,
      duration: Number(row('duration')) || 0,
      isError: isFailure(row('status')),
      callsDuration: 0,
      hasFailedCall: false,
    });
  }
  const calls = attributeToCallers(spans);
  return { series: ownSeries(file, spans), calls };
}

/** HTTP: 500 and above. gRPC: 1 to 16. In words: error. */
function isFailure(status: string): boolean {
  const code = Number(status);
  if (!Number.isFinite(code)) return /err/i.test(status);
  return code >= 500 || (code >= 1 && code <= 16);
}

function attributeToCallers(spans: ReadonlyMap<string, Span>): ServiceCall[] {
  const calls = new Map<string, ServiceCall>();
  for (const { parent, service, duration, isError } of spans.values()) {
    const caller = spans.get(parent);
    if (!caller) continue;
    caller.callsDuration += duration;
    caller.hasFailedCall ||= isError;
    if (caller.service !== service) {
      calls.set(`${caller.service}\n${service}`, [caller.service, service]);
    }
  }
  return [...calls.values()];
}

function ownSeries(file: string, spans: ReadonlyMap<string, Span>): Series[] {
  const [counts, own, failures] = [1, 2, 3].map(() => new BucketSums(file, bucketSeconds)) as [
    BucketSums,
    BucketSums,
    BucketSums,
  ];
  for (const { service, time, duration, callsDuration, isError, hasFailedCall } of spans.values()) {
    counts.add(service, time, 1);
    own.add(service, time, Math.max(0, duration - callsDuration));
    failures.add(service, time, isError && !hasFailedCall ? 1 : 0);
  }
  return [...own.series('own-seconds', counts), ...failures.series('own-failures')];
}
