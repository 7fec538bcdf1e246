import { type CallTree, type Hop, requestPaths } from '../../lanes/index.ts';
import { hopName } from './hop-name.ts';
import type { VersionRecording, VersionRecordings } from './recording.ts';
import { steadyJson, steadyText } from './steady-json.ts';

/** A call, and the calls that it led to, in order. */
export interface ServedCall {
  readonly hop: Hop;
  readonly calls: readonly Hop[];
}

/** What each version did at one hop for one request, or for several requests that are the same. */
export interface AlignedCalls {
  /** The name of the hop. */
  readonly name: string;
  readonly baseline: readonly ServedCall[];
  readonly control: readonly ServedCall[];
  readonly candidate: readonly ServedCall[];
}

/**
 * Puts together what the versions did at a hop for the same request. Requests are the same if they
 * send the same, apart from ids and times. Where the versions were sent different requests, all
 * requests of a route count as one. Hops that one side does not have are left out.
 */
export function alignCalls({ baseline, control, candidate }: VersionRecordings): AlignedCalls[] {
  const sides = [baseline, control, candidate].map(requestsOf);
  const aligned = alignedRoutes(sides);
  const [first, second, now] = sides.map((requests) => callsByKey(requests, aligned));
  return [...(now ?? [])].flatMap(([key, calls]) => {
    const [was = [], again = []] = [first?.get(key), second?.get(key)];
    if (was.length + again.length === 0) return [];
    const [{ hop }] = calls as [ServedCall];
    return [{ name: hopName(hop), baseline: was, control: again, candidate: calls }];
  });
}

/** The same calls with all requests of a hop together. */
export function mergeRequests(aligned: readonly AlignedCalls[]): AlignedCalls[] {
  return [...Map.groupBy(aligned, ({ name }) => name)].map(([name, parts]) => ({
    name,
    baseline: parts.flatMap((part) => part.baseline),
    control: parts.flatMap((part) => part.control),
    candidate: parts.flatMap((part) => part.candidate),
  }));
}

/** A call that no other led to, with everything that followed. */
interface Request {
  readonly route: string;
  /** What was sent, without what differs from time to time. */
  readonly content: string;
  readonly calls: readonly ServedCall[];
}

/** Cached: each recording is compared with those of other rounds. */
const requestsByHops = new WeakMap<readonly Hop[], readonly Request[]>();

function requestsOf({ hops }: VersionRecording): readonly Request[] {
  const known = requestsByHops.get(hops) ?? readRequests(hops);
  requestsByHops.set(hops, known);
  return known;
}

function readRequests(hops: readonly Hop[]): Request[] {
  const walk = ({ hop, calls }: CallTree): ServedCall[] => [
    { hop, calls: calls.map((call) => call.hop) },
    ...calls.flatMap(walk),
  ];
  // A timer is recorded as a hop, but is not a call.
  const realHops = hops.filter(({ method }) => method !== 'timer');
  return requestPaths(realHops)
    .flatMap(({ calls }) => calls)
    .map((root) => ({
      route: hopName(root.hop),
      content: contentOf(root.hop),
      calls: walk(root),
    }));
}

/** Routes to which every version was sent the same. */
function alignedRoutes(sides: readonly (readonly Request[])[]): ReadonlySet<string> {
  const [first, ...others] = sides.map((requests) => {
    const routes = [...Map.groupBy(requests, ({ route }) => route)];
    return new Map(routes.map(([route, own]) => [route, contentsOf(own)]));
  });
  const routes = [...(first ?? [])].filter(([route, sent]) =>
    others.every((side) => side.get(route) === sent),
  );
  return new Set(routes.map(([route]) => route));
}

/** Each once: a client may repeat a request until it is answered. */
function contentsOf(requests: readonly Request[]): string {
  return [...new Set(requests.map(({ content }) => content))].sort().join('\n');
}

function callsByKey(
  requests: readonly Request[],
  aligned: ReadonlySet<string>,
): ReadonlyMap<string, readonly ServedCall[]> {
  const keyed = requests.flatMap(({ route, content, calls }) => {
    const request = aligned.has(route) ? `${route} ${content}` : route;
    return calls.map((call) => ({ key: `${hopName(call.hop)}\n${request}`, call }));
  });
  const groups = Map.groupBy(keyed, ({ key }) => key);
  return new Map([...groups].map(([key, own]) => [key, own.map(({ call }) => call)]));
}

function contentOf({ path, requestBody }: Hop): string {
  const query = path.split('?')[1] ?? '';
  return JSON.stringify([steadyText(query), steadyJson(requestBody)]);
}
