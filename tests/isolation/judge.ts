import type { KeyLoss } from '../../src/lanes/index.ts';
import type { Served } from './call.ts';

/** A lane as it was in a run. */
export interface RunLane {
  readonly key: string;
  /** Which instance it has of which service. */
  readonly candidates: ReadonlyMap<string, string>;
  readonly isDead: boolean;
  /** Where its reach says that its key did not go on. */
  readonly lost: readonly KeyLoss[];
}

export interface Asked {
  readonly id: string;
  readonly key: string | null;
  readonly status: number;
}

export interface Witness {
  readonly served: readonly Served[];
  readonly asked: readonly Asked[];
  /** What services say went wrong; of interest where somebody got no answer. */
  readonly errors: readonly string[];
  readonly lanes: readonly RunLane[];
}

export interface Judgement {
  readonly problems: readonly string[];
  readonly keyed: number;
  readonly unkeyed: number;
  /** Keyed requests that another instance served, and of which that was told. */
  readonly told: number;
}

/** Pure. What an instance says that it served is compared with whom the request belonged to. */
export function judge({ served, asked, errors, lanes }: Witness): Judgement {
  const byKey = new Map(lanes.map((lane) => [lane.key, lane]));
  const laneOf = ({ truth }: Served): RunLane | undefined =>
    truth === null ? undefined : byKey.get(truth);
  const misplaced = served.filter((one) => one.instance !== rightFor(one, laneOf(one)));
  const silent = misplaced.filter((one) => !isReported(one, laneOf(one)));
  return {
    problems: [
      ...silent.map((one) => describe(one, rightFor(one, laneOf(one)))),
      ...asked.flatMap((one) => unanswered(one, byKey)).map((text) => withReasons(text, errors)),
    ],
    keyed: served.filter(({ truth }) => truth !== null).length,
    unkeyed: served.filter(({ truth }) => truth === null).length,
    told: misplaced.length - silent.length,
  };
}

function rightFor({ service }: Served, lane: RunLane | undefined): string {
  return lane?.candidates.get(service) ?? `${service}/baseline/1`;
}

function describe({ id, truth, from, instance, trail }: Served, right: string): string {
  const whose = truth === null ? 'an unkeyed request' : `a request of ${truth}`;
  return `${id}: ${whose} from ${from} (${trail.join(' → ')}) was served by ${instance} instead of ${right}`;
}

/** What the reach of its lane says about one of the calls by which it came there. */
function isReported(one: Served, lane: RunLane | undefined): boolean {
  const calls = callsTo(one);
  return (
    lane?.lost.some(({ how, by, to }) =>
      calls.some(({ service, from }) => {
        const isThere = to === service && (by === null || by === from || how === 'escaped');
        // By the service that could not tell whose call it made.
        return isThere || (['timed', 'shared', 'late', 'mixed'].includes(how) && to === from);
      }),
    ) ?? false
  );
}

interface Step {
  readonly service: string;
  readonly from: string;
}

/** The last call, and those before it: where a key is lost, it is lost for all that follows. */
function callsTo({ trail, service }: Served): Step[] {
  const way = [...trail, service];
  return trail.map((from, index) => ({ from, service: way[index + 1] as string }));
}

/** Only a lane that ended may cost an answer, and only those of its own requests. */
function unanswered({ id, key, status }: Asked, lanes: ReadonlyMap<string, RunLane>): string[] {
  if (status === 200) return [];
  if (key !== null && lanes.get(key)?.isDead) return [];
  return [`${id}: ${key === null ? 'an unkeyed request' : `a request of ${key}`} got ${status}`];
}

const reasonsMax = 3;

function withReasons(text: string, errors: readonly string[]): string {
  const id = text.split(':', 1)[0] as string;
  const own = errors.filter((error) => error.includes(`"${id}"`));
  const told = [...own, ...errors.filter((error) => !error.includes('"id"'))].slice(0, reasonsMax);
  return told.length === 0 ? text : `${text} (${told.join('; ')})`;
}
