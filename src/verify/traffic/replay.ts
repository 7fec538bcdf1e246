import type { Json } from '../../kernel/index.ts';
import { verifyLimits } from '../limits.ts';
import type { RecordedRequest, RecordedScenario } from './api-schema.ts';
import { carryInto, findCarried } from './carried.ts';
import { routeName } from './outward.ts';
import type { IsSafe } from './safe.ts';
import type { Scenario, ScenarioRequest } from './scenario.ts';
import type { Sender } from './sender.ts';
import { asScenario } from './sessions.ts';

/** Recorded traffic of the baseline. */
export interface TrafficRecording {
  /** The newest first. */
  readonly scenarios: readonly RecordedScenario[];
  /** What requests prove themselves with when they are sent again, by header. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** What is sent in addition to the requests of the suites. */
export interface ExtraTraffic {
  readonly scenarios: readonly Scenario[];
  /** What is sent and what is not, in words. */
  readonly remarks: readonly string[];
  /** TrafficRecording routes of which no request is sent, with the reason. */
  readonly unsent: readonly string[];
}

/** What may be sent again and how; `suites`: what they sent, whose credentials may be used. */
export function chooseReplay(
  { scenarios, credentials }: TrafficRecording,
  { suites, isSafe }: { readonly suites: readonly Scenario[]; readonly isSafe: IsSafe },
): ExtraTraffic {
  const known = { ...credentialsOf(suites), ...credentials };
  const leftOut = new Map<string, string>();
  let room: number = verifyLimits.recordedReplayMax;
  const chosen = scenarios.flatMap(({ id, requests }) => {
    const sendable = requests.flatMap((request) => {
      const reason = whyNot(request, known, isSafe) ?? (room > 0 ? null : 'enough others are sent');
      if (reason !== null) {
        leftOut.set(`${nameOf(request)} (${reason})`, nameOf(request));
        return [];
      }
      room--;
      return [withCredentials(request, known)];
    });
    return sendable.length > 0 ? [{ name: id, requests: sendable }] : [];
  });
  const sent = new Set(chosen.flatMap(({ requests }) => requests.map(nameOf)));
  return {
    scenarios: chosen,
    remarks: tell(chosen, [...leftOut.keys()]),
    unsent: [...leftOut].flatMap(([told, route]) => (sent.has(route) ? [] : [told])),
  };
}

function nameOf({ method, path }: Pick<ScenarioRequest, 'method' | 'path'>): string {
  return routeName(method, path);
}

function whyNot(
  request: RecordedRequest,
  known: Readonly<Record<string, string>>,
  isSafe: IsSafe,
): string | null {
  const [withheld] = request.withheld;
  if (withheld !== undefined) {
    return `a secret in ${withheld} was not kept; traffic.record.replace can name a stand-in`;
  }
  const missing = request.credentials.find((name) => !Object.hasOwn(known, name));
  if (missing !== undefined) return `it needs ${missing}; traffic.credentials can name one`;
  return isSafe(asScenario(request)) ? null : 'it is not declared safe to repeat';
}

/** What suites got in with. Never one that was refused. */
function credentialsOf(suites: readonly Scenario[]): Record<string, string> {
  const welcome = suites.flatMap(({ requests }) => requests).filter(({ status }) => status < 400);
  return Object.fromEntries(welcome.flatMap(({ headers }) => headers).toReversed());
}

function withCredentials(
  request: RecordedRequest,
  known: Readonly<Record<string, string>>,
): ScenarioRequest {
  const proving = request.credentials.map((name) => [name, known[name] ?? ''] as const);
  const scenario = asScenario(request);
  return { ...scenario, headers: [...scenario.headers, ...proving] };
}

const toldMax = 4;

function tell(chosen: readonly Scenario[], reasons: readonly string[]): string[] {
  const count = chosen.reduce((sum, { requests }) => sum + requests.length, 0);
  const more = reasons.length > toldMax ? `, and ${reasons.length - toldMax} more` : '';
  return [
    ...(count > 0 ? [`recorded traffic: ${count} requests of ${chosen.length} clients sent`] : []),
    ...(reasons.length > 0
      ? [`recorded traffic not sent: ${reasons.slice(0, toldMax).join(', ')}${more}`]
      : []),
  ];
}

/** So that what suites ask is measured no less for it. */
const measuredMax = 20;

/** Those of routes that no suite uses, and what they need: others are more of the same. */
export function onlyRecorded(
  replayed: readonly Scenario[],
  suites: readonly Scenario[],
): readonly Scenario[] {
  const known = new Set(suites.flatMap(({ requests }) => requests.map(nameOf)));
  const others = replayed.filter(({ requests }) => requests.some((one) => !known.has(nameOf(one))));
  let room = measuredMax;
  return others.filter(({ requests }) => {
    room -= requests.length;
    return room >= 0;
  });
}

/** One after the other, as their client did; what needs an answer that did not come is left out. */
export async function sendScenario(
  { requests }: Scenario,
  sender: Pick<Sender, 'send'>,
  nextId: () => string,
): Promise<string | undefined> {
  const carried = findCarried(requests);
  const answers = new Map<number, Json>();
  let last: string | undefined;
  for (const [number, request] of requests.entries()) {
    const filled = carryInto(request, carried[number] ?? [], answers);
    if (!filled) continue;
    last = nextId();
    const { body } = await sender.send(filled, last);
    answers.set(number, body);
  }
  return last;
}
