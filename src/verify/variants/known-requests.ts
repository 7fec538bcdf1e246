import { isJsonObject, type Json, tryOr } from '../../kernel/index.ts';
import { type CallTree, type Hop, requestPaths } from '../../lanes/index.ts';
import type { Config, ServiceConfig } from '../../system/index.ts';
import { routeOf } from '../compare/index.ts';
import {
  ExchangedTexts,
  findCarried,
  type IsSafe,
  type IsSafeInside,
  isRead,
  type Scenario,
  type ScenarioRequest,
} from '../traffic/index.ts';

/** A request that reached a changed service, and can be sent again with other values. */
export interface KnownRequest {
  /** The last one is varied; it needs the answers of those before it. */
  readonly requests: readonly ScenarioRequest[];
  /** `outside → edge POST /trades`. */
  readonly name: string;
  /** The body as JSON; null if it has none. */
  readonly body: Json;
  /** Sent to a service that is not open to the outside, as another service does. */
  readonly isInner: boolean;
  /** Reads what it wrote. */
  readonly read?: ScenarioRequest | undefined;
  /** What is unusual about it already. */
  readonly what?: string;
  /** Nobody asked it yet, so that nothing is known about its answers. */
  readonly isUnasked?: boolean;
  /** Other bodies that were sent to this route, and accepted. */
  readonly others?: readonly KnownRequest[];
}

export interface KnownTraffic {
  /** What suites and clients sent. */
  readonly scenarios: readonly Scenario[];
  /** The calls that it led to. */
  readonly hops: readonly Hop[];
  readonly changed: readonly string[];
  readonly isSafe: IsSafe;
  readonly isSafeInside: IsSafeInside;
}

/** For each route and shape of body one request, if possible one that succeeded. */
export function knownRequests(
  traffic: KnownTraffic,
  config: Pick<Config, 'services'>,
): KnownRequest[] {
  const outer = outerRequests(traffic);
  const bodies = new Set(outer.map(({ body }) => shapeOf(body)));
  // What an entrance passes on unchanged is sent through the entrance.
  const inner = innerRequests(traffic, config).filter(
    ({ body, requests }) => requests.every(isRead) || !bodies.has(shapeOf(body)),
  );
  return [...outer, ...inner];
}

function outerRequests({ scenarios, hops, changed, isSafe }: KnownTraffic): KnownRequest[] {
  const reaching = new Map<string, string>();
  for (const { calls } of requestPaths(hops)) {
    for (const { hop, calls: below } of calls) {
      if (
        hop.from !== null ||
        !servicesIn({ hop, calls: below }).some((to) => changed.includes(to))
      )
        continue;
      reaching.set(routeName(hop), hop.to);
    }
  }
  const known = scenarios.flatMap(({ requests }) =>
    requests.flatMap((request, index): KnownRequest[] => {
      const entrance = reaching.get(routeName(request));
      const needed = neededFor(index, requests);
      if (entrance === undefined || !needed.every(isSafe)) return [];
      const name = `outside → ${entrance} ${routeName(request)}`;
      const read = readAfter(index, requests);
      return [{ requests: needed, name, body: bodyOf(request), isInner: false, read }];
    }),
  );
  return oneOfEach(known);
}

function servicesIn({ hop, calls }: CallTree): string[] {
  return [hop.to, ...calls.flatMap(servicesIn)];
}

function routeName({ method, path }: Pick<Hop, 'method' | 'path'>): string {
  return `${method} ${routeOf(path)}`;
}

/** The request, and before it those whose answers it needs. */
export function neededFor(index: number, requests: readonly ScenarioRequest[]): ScenarioRequest[] {
  const carried = findCarried(requests.slice(0, index + 1));
  const needed = new Set([index]);
  for (let at = index; at >= 0; at--) {
    if (needed.has(at)) for (const { from } of carried[at] ?? []) needed.add(from);
  }
  return [...needed].sort((one, other) => one - other).flatMap((at) => requests[at] ?? []);
}

/** A later read that needs the answer of this request, and of no other. */
function readAfter(
  index: number,
  requests: readonly ScenarioRequest[],
): ScenarioRequest | undefined {
  const own = requests[index];
  if (own === undefined || isRead(own)) return undefined;
  const carried = findCarried(requests);
  return requests.find((later, at) => {
    const needed = carried[at] ?? [];
    return (
      at > index && isRead(later) && needed.length > 0 && needed.every(({ from }) => from === index)
    );
  });
}

/** Null if it has no body, or none that is JSON. */
export function bodyOf({ body }: ScenarioRequest): Json {
  if (body === null) return null;
  const json = tryOr(() => JSON.parse(body.toString('utf8')) as Json, null);
  return isJsonObject(json) || Array.isArray(json) ? json : null;
}

/** Calls of other services to the changed ones, if they and what led to them are safe. */
function innerRequests(
  { scenarios, hops, changed, isSafe, isSafeInside }: KnownTraffic,
  { services }: Pick<Config, 'services'>,
): KnownRequest[] {
  const sent = scenarios.flatMap(({ requests }) =>
    requests.flatMap((one) => fieldsOf(bodyOf(one))),
  );
  const values = new Map(sent);
  const texts = new ExchangedTexts(
    ...scenarios.flatMap(({ requests }) => requests.flatMap(textsOf)),
  );
  const known = requestPaths(hops).flatMap(({ calls }) =>
    calls.flatMap((root) => {
      const isPlain = root.hop.from === null && root.hop.faults === undefined;
      const { method, path } = root.hop;
      const entered = { method, path, headers: [], body: null, status: 0, answer: null };
      if (!isPlain || !isSafe(entered)) return [];
      const below = root.calls.flatMap(callsBelow);
      return below.filter(
        (hop) => changed.includes(hop.to) && isSafeInside(root.hop, hop) && !hasLaneIds(hop, texts),
      );
    }),
  );
  return oneOfEach(known.flatMap((hop) => innerRequest(hop, values, services)));
}

function textsOf({ path, body }: ScenarioRequest): string[] {
  return [path, body?.toString('utf8') ?? ''];
}

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;
/** Words with at least three digits and a letter; by words, so that long texts cost little. */
function idsIn(text: string): string[] {
  const words = text.match(/[\w-]+/g) ?? [];
  return words.filter((word) => /[a-z]/i.test(word) && word.replace(/\D/g, '').length >= 3);
}

/**
 * Whether a call names what only its lane knows, such as a record that it made: the other lane
 * would not find it. UUIDs in a body are made anew for each version, so that neither finds them.
 */
function hasLaneIds({ path, requestBody }: Hop, sent: ExchangedTexts): boolean {
  const body = JSON.stringify(requestBody).replace(uuid, '');
  return [...idsIn(path), ...idsIn(body)].some((id) => !sent.has(id));
}

function callsBelow({ hop, calls }: CallTree): Hop[] {
  return [hop, ...calls.flatMap(callsBelow)];
}

/** Fields of requests from outside: of inner ones, what looks like a secret was not kept. */
function fieldsOf(body: Json): [string, Json][] {
  if (!isJsonObject(body)) return [];
  return Object.entries(body).flatMap(([name, value]) => [[name, value], ...fieldsOf(value)]);
}

function innerRequest(
  hop: Hop,
  values: ReadonlyMap<string, Json>,
  services: Config['services'],
): KnownRequest[] {
  const { from, to, method, path, protocol, requestBody, requestBytes, status } = hop;
  const service = services[to];
  const isHttp = protocol === 'http1' || protocol === 'http2';
  if (!service || !isHttp || (requestBytes > 0 && requestBody === null)) return [];
  const body = refilled(requestBody, values);
  if (JSON.stringify(body).includes(redactedMark)) return [];
  const headers = [
    ...(body === null ? [] : [['content-type', 'application/json'] as const]),
    ['x-surety-from', from ?? ''] as const,
    ...addressOf(service),
  ];
  const bytes = body === null ? null : Buffer.from(JSON.stringify(body));
  const request = { method, path, headers, body: bytes, status, answer: null };
  const name = `${from} → ${to} ${routeName(hop)}`;
  return [{ requests: [request], name, body, isInner: true }];
}

/** Where the router sends it: to the service in the lane. */
export function addressOf({ host, port, protocol }: ServiceConfig): (readonly [string, string])[] {
  const to = ['x-surety-to', `${host ?? '127.0.0.1'}:${port}`] as const;
  return protocol === 'https' ? [to, ['x-surety-scheme', 'https']] : [to];
}

const redactedMark = '[redacted';

function refilled(json: Json, values: ReadonlyMap<string, Json>): Json {
  if (Array.isArray(json)) return json.map((item: Json) => refilled(item, values));
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name,
      typeof value === 'string' && value.startsWith(redactedMark)
        ? (values.get(name) ?? value)
        : refilled(value, values),
    ]),
  );
}

/** The first that succeeded, of each name and shape. */
function oneOfEach(known: readonly KnownRequest[]): KnownRequest[] {
  const isGood = ({ requests }: KnownRequest): boolean => {
    const status = requests.at(-1)?.status ?? 0;
    return status >= 200 && status < 400;
  };
  const groups = Map.groupBy(known.filter(isGood), ({ name, body }) => `${name} ${shapeOf(body)}`);
  return [...groups.values()].flatMap(([first, ...more]) =>
    first ? { ...first, others: extremes(more, first) } : [],
  );
}

const othersMax = 3;

/** Those with the largest numbers: what a service adds up comes to its limit by them. */
function extremes(known: readonly KnownRequest[], first: KnownRequest): KnownRequest[] {
  const different = new Map([first, ...known].map((one) => [JSON.stringify(one.body), one]));
  different.delete(JSON.stringify(first.body));
  return [...different.values()]
    .toSorted((one, other) => largestIn(other.body) - largestIn(one.body))
    .slice(0, othersMax);
}

function largestIn(json: Json): number {
  if (typeof json === 'number') return Math.abs(json);
  if (typeof json !== 'object' || json === null) return 0;
  return Math.max(0, ...Object.values(json as Readonly<Record<string, Json>>).map(largestIn));
}

/** The names of its fields. */
function shapeOf(body: Json): string {
  if (Array.isArray(body)) return `[${shapeOf((body as readonly Json[])[0] ?? null)}]`;
  if (!isJsonObject(body)) return '';
  const names = Object.entries(body).map(([name, value]) => `${name}:${shapeOf(value)}`);
  return `{${names.sort().join(',')}}`;
}
