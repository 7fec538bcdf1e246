import type { Hop } from '../../router/index.ts';
import type { KeyLoss } from '../api-schema.ts';
import type { RequestPath } from './reach-paths.ts';
import type { Services } from './reach-witness.ts';

/** What the router, and services that were called past it, saw for themselves. */
export function seenLosses(paths: readonly RequestPath[], system: Services): KeyLoss[] {
  return paths.flatMap(({ request, calls }) => {
    const hops = flatten(calls);
    return hops.flatMap((hop): KeyLoss[] => {
      const how = lossOf(hop);
      if (!how || (isTold(hop) && system.services[hop.to]?.protocol === 'tcp')) return [];
      const by = how === 'misserved' ? hop.served : (hop.from ?? likelyCaller(hop, hops, system));
      return [{ how, by, to: hop.to, what: `${hop.method} ${hop.path}`, request }];
    });
  });
}

/**
 * No method of HTTP: the preload tells so of calls that it could not tag. Such are no wonder where
 * a service has no part in lanes, as a database.
 */
export function isTold({ method }: Hop): boolean {
  return method === 'timer' || method === 'connection';
}

/** By the words of the preload. */
const reported: Readonly<Record<string, KeyLoss['how']>> = {
  own: 'timed',
  late: 'late',
  mixed: 'mixed',
  answer: 'answer',
};

function lossOf(hop: Hop): KeyLoss['how'] | null {
  const { escaped, recovered, served, instance, method, path } = hop;
  if (escaped && method === 'timer') return reported[path] ?? 'shared';
  if (escaped && method === 'connection') return 'untagged';
  if (escaped) return 'escaped';
  if (recovered) return 'recovered';
  const isCandidate = instance !== 'baseline' && instance !== 'external';
  return isCandidate && served !== null && served !== instance ? 'misserved' : null;
}

/** A call without the name of its caller was made by one that has a reason to, and was there. */
function likelyCaller({ to }: Hop, hops: readonly Hop[], { services }: Services): string | null {
  const there = hops.map((hop) => hop.to).filter((name) => services[name]?.dependsOn.includes(to));
  return there.at(-1) ?? null;
}

/**
 * Who was reached by a request, usually calls what leads to a candidate, and did not for this one.
 * It may have had no reason to; or it put it into a call for somebody else.
 */
export function silentLosses(
  paths: readonly RequestPath[],
  changed: readonly string[],
  { services }: Services,
): KeyLoss[] {
  const losses = new Map<string, KeyLoss>();
  for (const { request, calls } of paths) {
    const hops = flatten(calls).filter((hop) => !isTold(hop));
    for (const { to, method, path } of hops) {
      const called = new Set(hops.filter(({ from }) => from === to).map((hop) => hop.to));
      const next = (services[to]?.dependsOn ?? []).filter(
        (name) => !called.has(name) && leadsTo(name, changed, services),
      );
      for (const name of next) {
        const loss = {
          how: 'silent',
          by: to,
          to: name,
          what: `${method} ${path}`,
          request,
        } as const;
        losses.set(`${to} ${name}`, loss);
      }
    }
  }
  return [...losses.values()];
}

/** Losses after which a call may or may not have carried the key. */
const doubtful: readonly KeyLoss['how'][] = ['timed', 'shared', 'late', 'mixed'];

/**
 * Of requests that came to no candidate: those whose calls may have lost the key, and those that
 * came to one when they were sent another time.
 */
export function missedRequests(
  paths: readonly RequestPath[],
  instances: readonly string[],
  lost: readonly KeyLoss[],
): KeyLoss[] {
  const isServed = ({ calls }: RequestPath): boolean =>
    flatten(calls).some(({ served }) => served !== null && instances.includes(served));
  const reached = new Map<string, RequestPath>();
  for (const path of paths) if (isServed(path)) reached.set(requestOf(path), path);
  return paths
    .filter((path) => !isServed(path))
    .flatMap((path) => {
      const { request } = path;
      const doubt =
        request === null
          ? undefined
          : lost.find((loss) => loss.request === request && doubtful.includes(loss.how));
      if (doubt) return [doubt];
      const like = reached.get(requestOf(path));
      return like ? cachedBy(path, like) : [];
    });
}

/** What was asked from outside, and how it was answered. */
function requestOf({ calls }: RequestPath): string {
  const asked = calls.map(({ hop }) => hop).filter(({ from }) => from === null);
  return JSON.stringify(
    asked.map(({ to, method, path, status, requestBody }) => [
      to,
      method,
      path,
      status,
      requestBody,
    ]),
  );
}

/** The first service that made a call for the one request and not for the other. */
function cachedBy(path: RequestPath, like: RequestPath): KeyLoss[] {
  const made = new Set(flatten(path.calls).map(({ from, to }) => `${from} ${to}`));
  const [root] = flatten(path.calls);
  const missing = flatten(like.calls).find(
    (hop) => !isTold(hop) && hop.from !== null && !made.has(`${hop.from} ${hop.to}`),
  );
  if (!missing || !root || isTold(root)) return [];
  const what = `${root.method} ${root.path}`;
  return [{ how: 'cached', by: missing.from, to: missing.to, what, request: path.request }];
}

export function leadsTo(
  from: string,
  wanted: readonly string[],
  services: Services['services'],
): boolean {
  return stepsTo(from, wanted, services) < Number.POSITIVE_INFINITY;
}

/** How many calls away the nearest of them is. */
function stepsTo(from: string, wanted: readonly string[], services: Services['services']): number {
  const seen = new Set([from]);
  let reached = [from];
  for (let steps = 0; reached.length > 0; steps += 1) {
    if (reached.some((name) => wanted.includes(name))) return steps;
    const next = reached.flatMap((name) => services[name]?.dependsOn ?? []);
    reached = [...new Set(next)].filter((name) => !seen.has(name));
    for (const name of reached) seen.add(name);
  }
  return Number.POSITIVE_INFINITY;
}

/**
 * Of all that may have lost the key, the one just before the missed: those earlier were passed by
 * other requests, and may have had no reason to call for this one.
 */
export function nearestLoss(
  lost: readonly KeyLoss[],
  missed: readonly string[],
  { services }: Services,
): KeyLoss | undefined {
  const steps = ({ to }: KeyLoss): number => stepsTo(to, missed, services);
  return lost
    .filter((loss) => loss.how === 'silent' && leadsTo(loss.to, missed, services))
    .toSorted((one, other) => steps(one) - steps(other))[0];
}

function flatten(calls: RequestPath['calls']): Hop[] {
  return calls.flatMap(({ hop, calls: below }) => [hop, ...flatten(below)]);
}

function remedyFor(who: string): string {
  return `Give the lane its own copy of ${who} (--callers own)`;
}

/** One loss, as a sentence. */
export function lossLine({ how, by, to, what }: KeyLoss): string {
  const who = by ?? 'somebody';
  const sentences = {
    recovered: `${who} dropped the key on its way to ${to} (${what}); the trace id still told it`,
    escaped: `${who} called ${to} (${what}) past the router or without the key, and the baseline served it`,
    misserved: `${to} (${what}) was answered by ${who} instead of the candidate`,
    timed: `${who} called from a timer while it served others: it went without the key`,
    shared: `${who} called without the key, for others or for all that waited; a part may have been of this lane`,
    late: `${who} called on when the request was over for a second: it went without the key`,
    untagged: `${who} called ${to} by a client that Surety does not know: it went without the key`,
    silent: `${who} got the key (${what}), and called ${to} without it or not at all`,
    mixed: `${who} called while other requests waited in it (for a queue, pool, batch or lock): it went without the key. ${remedyFor(who)}`,
    cached: `${who} answered ${what} without calling ${to}, from a cache or with the answer to another request. ${remedyFor(who)}`,
    answer: `${who} may have given an answer of the candidate to a request without the key, which waited for the same result. ${remedyFor(who)}`,
  };
  return sentences[how];
}
