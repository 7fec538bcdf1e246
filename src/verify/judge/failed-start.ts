import { type Fault, isFault, type Json } from '../../kernel/index.ts';
import { endedInTime, type Host, type Lane } from '../../lanes/index.ts';
import type { Difference } from '../compare/index.ts';

/** A candidate that does not start or dies: why, and what it printed last. */
export interface FailedStart {
  readonly service: string;
  readonly reason: string;
  readonly lines: readonly string[];
}

/** The service because of which a lane could not be opened, if that was the cause. */
export function failedStart(error: unknown): FailedStart | null {
  const isStart = isFault(error, 'SERVICE_UNHEALTHY') || isFault(error, 'STEP_FAILED');
  const { service, reason, lines } = isStart ? ((error as Fault).details ?? {}) : {};
  if (typeof service !== 'string' || typeof reason !== 'string') return null;
  return { service, reason, lines: Array.isArray(lines) ? lines.map(String) : [] };
}

/** A change whose lane could not be opened because a candidate does not start. */
export interface UnstartableChange extends FailedStart {
  readonly error: unknown;
}

export function unstartableBy(error: unknown): UnstartableChange {
  const failed = failedStart(error);
  if (!failed) throw error;
  return { ...failed, error };
}

export function notStarted({ service, reason, lines }: FailedStart): Difference {
  return { ...startDifference(service, lines), what: 'not-started', after: reason };
}

const lastLinesMax = 20;

/** Candidates that have died since their lane was opened, while their control copies run. */
export async function findDeaths(
  { control, candidate }: { readonly control: Lane; readonly candidate: Lane },
  host: Pick<Host, 'states' | 'readLog'>,
): Promise<Difference[]> {
  const states = await host.states();
  const isDead = ({ name }: { name: string }): boolean =>
    states.get(name)?.state !== 'running' && !isOver(states.get(name));
  const alsoDead = new Set(control.candidates.filter(isDead).map(({ service }) => service));
  const dead = candidate.candidates.filter((one) => isDead(one) && !alsoDead.has(one.service));
  const deaths = dead.map(async ({ service, name }) => {
    const { lines } = await host.readLog(name, { lines: lastLinesMax });
    const after = states.get(name)?.ended ?? 'it has stopped running';
    return { ...startDifference(service, lines), what: 'died', after };
  });
  return Promise.all(deaths);
}

/** Lanes that expired before the run ended: failed requests to them say nothing. */
export async function findEndedLanes(
  { control, candidate }: { readonly control: Lane; readonly candidate: Lane },
  host: Pick<Host, 'states'>,
): Promise<string[]> {
  const states = await host.states();
  return [control, candidate]
    .filter(({ candidates }) => candidates.some(({ name }) => isOver(states.get(name))))
    .map(({ lane }) => `lane ${lane} expired before the run ended`);
}

type States = Awaited<ReturnType<Host['states']>>;

/** Ended with its lane and forgotten, which a service can't cause by itself. */
function isOver(state: ReturnType<States['get']>): boolean {
  return state === undefined || state.ended === endedInTime;
}

function startDifference(service: string, lines: readonly string[]) {
  return {
    class: 'start',
    service,
    hop: null,
    place: null,
    before: 'runs',
    examples: { before: null, after: [...lines] as Json },
    severity: 'fail',
    confidence: 0.95,
  } as const;
}
