import {
  type CallerCopy,
  type CallerFacts,
  callersOf,
  type Hop,
  type KeyLoss,
  type Lane,
  leadsTo,
  lossLine,
  type Reach,
  whyNoCopy,
} from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { changedServices } from './lane-pair.ts';

/** What a run showed of its lane, and what was known before. */
export interface ObservedLane {
  readonly lane: Pick<Lane, 'candidates'>;
  readonly hops: readonly Hop[];
  readonly reach: Reach;
  readonly base: string;
  readonly config: Config;
  readonly facts: CallerFacts;
}

/** Callers that lost the key, or may have, and that the lane does not have itself. */
export interface UnsafeCallers {
  readonly copies: readonly CallerCopy[];
  /** Those of which no lane can have a copy: the verdict names them. */
  readonly uncopied: readonly string[];
}

export function unsafeCallers(seen: ObservedLane): UnsafeCallers {
  const { lane, config } = seen;
  const own = new Set(lane.candidates.map(({ service }) => service));
  const suspects = new Map<string, string>();
  const add = (service: string | null, why: string): void => {
    if (service === null || own.has(service) || !Object.hasOwn(config.services, service)) return;
    if (config.services[service]?.callers !== 'shared' && !suspects.has(service))
      suspects.set(service, why);
  };
  for (const loss of losses(seen)) add(loss.by, lossLine(loss));
  for (const { service, why } of unprovenCallers(seen)) add(service, why);
  return split(suspects, seen);
}

function split(suspects: ReadonlyMap<string, string>, { lane, config }: ObservedLane) {
  // Nearest to the change first, as they are started.
  const order = callersOf(config, changedServices(lane));
  const rank = (service: string): number => {
    const index = order.indexOf(service);
    return index < 0 ? order.length : index;
  };
  const sorted = [...suspects].toSorted(([one], [other]) => rank(one) - rank(other));
  const copies = sorted.filter(([service]) => whyNoCopy(config, service) === null);
  const uncopied = sorted.flatMap(([service, why]) => {
    const obstacle = whyNoCopy(config, service);
    return obstacle === null ? [] : [`${service}: ${why}; a lane can’t copy it: ${obstacle}`];
  });
  return { copies: copies.map(([service, why]) => ({ service, why })), uncopied };
}

/** A loss after which a call may have gone to the baseline, or its answer to somebody else. */
const unsafe: ReadonlySet<KeyLoss['how']> = new Set([
  'escaped',
  'untagged',
  'timed',
  'shared',
  'late',
  'mixed',
  'cached',
  'answer',
]);

/** That a service did not call at all is a reason only where nothing reached the change. */
function losses({ reach, lane, config: { services } }: ObservedLane): readonly KeyLoss[] {
  const changed = changedServices(lane);
  const certain = reach.lost.filter(
    ({ how, by, to }) =>
      unsafe.has(how) && (leadsTo(to, changed, services) || leadsTo(by ?? '', changed, services)),
  );
  if (certain.length > 0 || reach.proven) return certain;
  return reach.lost.filter(({ how, to }) => how === 'silent' && leadsTo(to, changed, services));
}

/** Programs without the preload report no loss: only their own copies show what they pass on. */
function unprovenCallers({ lane, hops, base, config, facts }: ObservedLane): CallerCopy[] {
  const changed = changedServices(lane);
  return callersOf(config, changed).flatMap((service) => {
    if (config.services[service]?.tagging !== 'baggage') return [];
    const requests = hops.filter((hop) => hop.to === service && hop.instance === 'baseline');
    const unproven = requests.find((hop) => !facts.isProvenFor(service, base, [requestShape(hop)]));
    if (unproven === undefined) return [];
    const what = `${unproven.method} ${unproven.path}`;
    return [{ service, why: `nothing shows that it passes the key on for ${what}` }];
  });
}

/** Remembers which of the lane's own callers passed the key on, and which did not. */
export function learnFromCopies({ lane, hops, base, facts }: ObservedLane): void {
  for (const { service, instance, version } of lane.candidates) {
    if (version !== 'caller') continue;
    const lost = hops.find(({ own, from }) => own && from === service);
    if (lost) {
      const call = `${lost.method} ${lost.path}`;
      facts.addLoss(service, base, `it called ${lost.to} (${call}) without the key`);
    } else if (hops.some(({ from }) => from === service)) {
      const served = hops.filter((hop) => hop.instance === instance);
      facts.addProof(service, base, served.map(requestShape));
    }
  }
}

/** Callers in which a lane of the baseline lost its key. */
export function rememberUnsafe({ reach, base, config, facts }: ObservedLane): void {
  for (const loss of reach.lost) {
    const { by, how } = loss;
    if (by !== null && Object.hasOwn(config.services, by) && unsafe.has(how))
      facts.addLoss(by, base, lossLine(loss));
  }
}

/** The change was reached with these copies, and not without them. */
export function rememberLosses({ lane, base, config, facts }: ObservedLane): void {
  for (const { service, version, why = '' } of lane.candidates) {
    // Of a program without the preload its copy has shown more.
    const isReported = config.services[service]?.tagging === 'preload';
    if (version === 'caller' && isReported) facts.addLoss(service, base, why);
  }
}

/** Requests of one shape take the same way through a service: route, parameters and fields. */
function requestShape({ method, path, requestBody }: Hop): string {
  const [route = '', query = ''] = path.split('?');
  const names = [...new URLSearchParams(query).keys()].toSorted();
  const isObject = typeof requestBody === 'object' && requestBody !== null;
  const fields = isObject ? Object.keys(requestBody).toSorted() : [];
  return JSON.stringify([method, route.replace(/\/[^/]*\d[^/]*/g, '/:id'), names, fields]);
}
