import type { Hop, Host, Lane } from '../../lanes/index.ts';
import type { ServiceLogLine } from '../compare/index.ts';

/** A log that may have lines about a lane's requests. */
interface LaneLog {
  readonly service: string;
  readonly log: string;
  /** Whether all lines count; of other logs only those that name a request. */
  readonly isWhole: boolean;
}

type LogMarks = ReadonlyMap<string, number>;
type Logs = Pick<Host, 'readLog'>;

const linesMax = 2_000;
/** A shorter id may match anything. */
const idCharsMin = 8;

/**
 * The log of a changed service is read completely for both versions, because an error need not name
 * a request, and an error that the baseline has is not new.
 */
export function laneLogs(
  lane: Pick<Lane, 'candidates'>,
  services: readonly string[],
  changed: Pick<Lane, 'candidates'>,
): LaneLog[] {
  const own = new Map(lane.candidates.map(({ service, name }) => [service, name]));
  const touched = new Set(changed.candidates.map(({ service }) => service));
  return services.map((service) => ({
    service,
    log: own.get(service) ?? service,
    isWhole: touched.has(service),
  }));
}

/** The current end of each log; later lines are read. */
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
): Promise<{ readonly lines: ServiceLogLine[]; readonly dropped: string[] }> {
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
