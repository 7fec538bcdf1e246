import type { Json } from '../../kernel/index.ts';
import { verifyLimits } from '../limits.ts';
import type { RecordedScenario, StoredRequest } from './api-schema.ts';
import { carryInto, findCarried } from './carried-values.ts';
import { routeName } from './outward-routes.ts';
import type { IsSafe } from './repeat-safety.ts';
import type { Scenario, ScenarioRequest } from './scenario.ts';
import type { ScenarioSender } from './sender.ts';
import { asScenario } from './sessions.ts';

/** Recorded traffic of the baseline. */
export interface TrafficRecording {
  /** The newest first. */
  readonly scenarios: readonly RecordedScenario[];
  /** Credentials for replayed requests, by header. */
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

/** Chooses what to send again; `suites`: requests whose credentials may be used. */
export function chooseReplay(
  { scenarios, credentials }: TrafficRecording,
  { suites, isSafe }: { readonly suites: readonly Scenario[]; readonly isSafe: IsSafe },
): ExtraTraffic {
  const known = { ...credentialsOf(suites), ...credentials };
  const leftOut = new Map<string, string>();
  let room: number = verifyLimits.recordedReplayMax;
  const chosen = scenarios.flatMap(({ id, requests }) => {
    const sendable = requests.flatMap((request) => {
      const reason =
        whyNot(request, known, isSafe) ?? (room > 0 ? null : 'the limit of requests is reached');
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
    remarks: formatReplay(chosen, [...leftOut.keys()]),
    unsent: [...leftOut].flatMap(([text, route]) => (sent.has(route) ? [] : [text])),
  };
}

function nameOf({ method, path }: Pick<ScenarioRequest, 'method' | 'path'>): string {
  return routeName(method, path);
}

function whyNot(
  request: StoredRequest,
  known: Readonly<Record<string, string>>,
  isSafe: IsSafe,
): string | null {
  const [withheld] = request.withheld;
  if (withheld !== undefined) {
    return `the secret in ${withheld} was not stored; set a stand-in in traffic.record.replace`;
  }
  const missing = request.credentials.find((name) => !Object.hasOwn(known, name));
  if (missing !== undefined) return `it needs ${missing}; set one in traffic.credentials`;
  return isSafe(asScenario(request)) ? null : 'it is not declared safe to repeat';
}

/** Credentials that suites used successfully. */
function credentialsOf(suites: readonly Scenario[]): Record<string, string> {
  const accepted = suites.flatMap(({ requests }) => requests).filter(({ status }) => status < 400);
  return Object.fromEntries(accepted.flatMap(({ headers }) => headers).toReversed());
}

function withCredentials(
  request: StoredRequest,
  known: Readonly<Record<string, string>>,
): ScenarioRequest {
  const headers = request.credentials.map((name) => [name, known[name] ?? ''] as const);
  const scenario = asScenario(request);
  return { ...scenario, headers: [...scenario.headers, ...headers] };
}

const reasonsMax = 4;

function formatReplay(chosen: readonly Scenario[], reasons: readonly string[]): string[] {
  const count = chosen.reduce((sum, { requests }) => sum + requests.length, 0);
  const more = reasons.length > reasonsMax ? `, and ${reasons.length - reasonsMax} more` : '';
  return [
    ...(count > 0 ? [`recorded traffic: ${count} requests of ${chosen.length} clients sent`] : []),
    ...(reasons.length > 0
      ? [`recorded traffic not sent: ${reasons.slice(0, reasonsMax).join(', ')}${more}`]
      : []),
  ];
}

/** A limit, so that requests of suites are still measured enough. */
const measuredMax = 20;

/** Scenarios with routes that no suite uses. */
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

/**
 * Sends requests one after the other; those that need a missing answer are left out. Services see
 * the ids, which must not differ between two versions in more than chance.
 */
export async function sendScenario(
  { requests }: Scenario,
  sender: Pick<ScenarioSender, 'send'>,
  nextId: (number: number) => string,
): Promise<string | undefined> {
  const carried = findCarried(requests);
  const answers = new Map<number, Json>();
  let last: string | undefined;
  for (const [number, request] of requests.entries()) {
    const filled = carryInto(request, carried[number] ?? [], answers);
    if (!filled) continue;
    last = nextId(number);
    const { body } = await sender.send(filled, last);
    answers.set(number, body);
  }
  return last;
}
