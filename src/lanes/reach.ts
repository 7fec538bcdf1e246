import { type RequestPath, requestPaths } from './reach-paths.ts';
import { type Changed, type Services, witnessed } from './reach-witness.ts';
import type { Hop } from './routes.ts';

export type ServiceReach = {
  readonly service: string;
  readonly instance: string;
  /** Requests that were sent to the candidate. */
  readonly sent: number;
  /** Requests of which the candidate itself said that it served them. */
  readonly served: number;
};

/**
 * Where the lane's key did not go on. `recovered`: the trace id still told the lane. `escaped`: it
 * came to the baseline instead, as the service that got it told. `misserved`: another instance
 * answered than it was sent to. `silent`: a service had the key, and called the next one without.
 * `timed`: a timer of its own called among requests of others, so nobody could tell whose call it
 * was. `shared`: a timer of others did so while it was served, and may have sent its part as well.
 */
export type KeyLoss = {
  readonly how: 'recovered' | 'escaped' | 'misserved' | 'silent' | 'timed' | 'shared';
  /** Who lost it, as far as that can be known. */
  readonly by: string | null;
  /** Where the call went, or would have gone. */
  readonly to: string;
  readonly what: string;
  readonly request: string | null;
};

export type Reach = {
  readonly proven: boolean;
  /** Why it proves nothing; null when it does. */
  readonly reason: string | null;
  readonly candidates: readonly ServiceReach[];
  readonly hops: number;
  /** Services that were reached with the key, but whose calls never carried it on. */
  readonly silent: readonly string[];
  readonly lost: readonly KeyLoss[];
};

/**
 * Whether the candidates really served the lane's requests: sent is what the router did, served is
 * what the instance answered about itself. A run without both, or of which a part went to the
 * baseline unseen, proves nothing.
 */
export function proveReach(lane: Changed, seen: readonly Hop[], system: Services): Reach {
  const hops = witnessed(seen, lane, system);
  const routed = hops.filter(({ escaped }) => !escaped);
  const reached = lane.candidates.map(({ service, instance }) => ({
    service,
    instance,
    sent: routed.filter((hop) => hop.instance === instance).length,
    served: routed.filter((hop) => hop.served === instance).length,
  }));
  const callers = new Set(hops.map(({ from }) => from));
  const receivers = new Set(
    hops.filter(({ instance }) => instance !== 'external').map(({ to }) => to),
  );
  const paths = requestPaths(hops);
  const wanted = servicesToReach(lane);
  const lost = [...seenLosses(paths, system), ...silentLosses(paths, wanted, system)];
  const reason = doubtAbout({ reached, wanted, lost }, system);
  return {
    proven: reason === null,
    reason,
    candidates: reached,
    hops: hops.length,
    silent: [...receivers].filter((service) => !callers.has(service)).sort(),
    lost,
  };
}

/** Copies keep a changed service company; only where nothing is changed, they are the point. */
function servicesToReach({ candidates }: Changed): string[] {
  const changed = candidates.filter(({ version }) => version !== 'copy');
  return (changed.length > 0 ? changed : candidates).map(({ service }) => service);
}

interface Found {
  readonly reached: readonly ServiceReach[];
  readonly wanted: readonly string[];
  readonly lost: readonly KeyLoss[];
}

function doubtAbout({ reached, wanted, lost }: Found, system: Services): string | null {
  if (reached.length === 0) return 'the lane has no candidate';
  // Where there is no candidate, the baseline is what should have served it anyway.
  const changed = reached.map(({ service }) => service);
  const fatal = lost.find(
    ({ how, to }) =>
      how === 'misserved' ||
      (how === 'escaped' && changed.includes(to)) ||
      (how === 'timed' && leadsTo(to, changed, system.services)),
  );
  if (fatal) return lossLine(fatal);
  const missed = reached
    .filter(({ service, served }) => served === 0 && wanted.includes(service))
    .map(({ service }) => service);
  if (missed.length > 0) {
    const silent = lost.find(
      ({ how, to }) => how === 'silent' && leadsTo(to, missed, system.services),
    );
    return silent ? lossLine(silent) : `no request came to ${missed.join(', ')}`;
  }
  const partly = reached.find(({ sent, served }) => sent !== served);
  return partly
    ? `${partly.service} served ${partly.served} of ${partly.sent} requests sent to it`
    : null;
}

/** What the router, and services that were called past it, saw for themselves. */
function seenLosses(paths: readonly RequestPath[], system: Services): KeyLoss[] {
  return paths.flatMap(({ request, calls }) => {
    const hops = flatten(calls);
    return hops.flatMap((hop): KeyLoss[] => {
      const how = lossOf(hop);
      if (!how) return [];
      const by = how === 'misserved' ? hop.served : (hop.from ?? likelyCaller(hop, hops, system));
      return [{ how, by, to: hop.to, what: `${hop.method} ${hop.path}`, request }];
    });
  });
}

function lossOf(hop: Hop): KeyLoss['how'] | null {
  const { escaped, recovered, served, instance, method, path } = hop;
  // No method of HTTP: the preload tells so of calls that it could not tag.
  if (escaped && method === 'timer') return path === 'own' ? 'timed' : 'shared';
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
function silentLosses(
  paths: readonly RequestPath[],
  changed: readonly string[],
  { services }: Services,
): KeyLoss[] {
  const losses = new Map<string, KeyLoss>();
  for (const { request, calls } of paths) {
    const hops = flatten(calls);
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

function leadsTo(
  from: string,
  wanted: readonly string[],
  services: Services['services'],
  seen: ReadonlySet<string> = new Set(),
): boolean {
  if (wanted.includes(from)) return true;
  if (seen.has(from)) return false;
  const next = services[from]?.dependsOn ?? [];
  return next.some((name) => leadsTo(name, wanted, services, new Set([...seen, from])));
}

function flatten(calls: RequestPath['calls']): Hop[] {
  return calls.flatMap(({ hop, calls: below }) => [hop, ...flatten(below)]);
}

/** One loss, as a sentence. */
export function lossLine({ how, by, to, what }: KeyLoss): string {
  const who = by ?? 'somebody';
  const sentences = {
    recovered: `${who} dropped the key on its way to ${to} (${what}); the trace id still told it`,
    escaped: `${who} called ${to} (${what}) without the key, and the baseline served it`,
    misserved: `${to} (${what}) was answered by ${who} instead of the candidate`,
    timed: `${who} called from a timer while it served others: it went without the key`,
    shared: `${who} called from a timer of others; if it batches, a part was of this lane`,
    silent: `${who} got the key (${what}), and called ${to} without it or not at all`,
  };
  return sentences[how];
}
