import type { Hop, Host, Lane } from '../../lanes/index.ts';
import type { LogLine } from '../compare/index.ts';

/** A log in which something about a lane's requests may stand. */
interface LaneLog {
  readonly service: string;
  readonly log: string;
  /** All of it is about what is compared; of others, only lines that name one of the requests. */
  readonly isWhole: boolean;
}

export type LogMarks = ReadonlyMap<string, number>;
type Logs = Pick<Host, 'readLog'>;

const linesMax = 2_000;
/** A shorter one may be part of anything. */
const idCharsMin = 8;

/**
 * Of a service that the change touches, the log is read whole for both versions: an error of its
 * own making names no request, and one that it had before is not new.
 */
export function laneLogs(lane: Lane, services: readonly string[], changed: Lane): LaneLog[] {
  const own = new Map(lane.candidates.map(({ service, name }) => [service, name]));
  const touched = new Set(changed.candidates.map(({ service }) => service));
  return services.map((service) => ({
    service,
    log: own.get(service) ?? service,
    isWhole: touched.has(service),
  }));
}

/** Where the logs end now: what comes later is of interest. */
export async function markLogs(logs: readonly LaneLog[], host: Logs): Promise<LogMarks> {
  const marks = logs.map(async ({ log }) => {
    const { next } = await host.readLog(log, { lines: 0 });
    return [log, next] as const;
  });
  return new Map(await Promise.all(marks));
}

export async function readSince(
  marks: LogMarks,
  logs: readonly LaneLog[],
  hops: readonly Hop[],
  host: Logs,
): Promise<{ readonly lines: LogLine[]; readonly dropped: string[] }> {
  const ids = [...new Set(hops.map(({ requestId }) => requestId ?? ''))];
  const named = ids.filter((id) => id.length >= idCharsMin);
  const parts = logs.map(async ({ service, log, isWhole }) => {
    const wanted = { lines: linesMax, after: marks.get(log) ?? 0 };
    const { lines, isCut = false } = await host.readLog(log, wanted);
    const about = lines.filter((line) => isWhole || named.some((id) => line.includes(id)));
    return { service, about, isDropped: isWhole && isCut };
  });
  const read = await Promise.all(parts);
  return {
    lines: read.flatMap(({ service, about }) => about.map((text) => ({ service, text }))),
    dropped: read.filter(({ isDropped }) => isDropped).map(({ service }) => `lines of ${service}`),
  };
}
