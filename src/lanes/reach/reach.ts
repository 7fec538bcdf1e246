import type { Hop } from '../../router/index.ts';
import type { KeyLoss, Reach, ServiceReach } from '../api-schema.ts';
import { isStruck } from './injected-faults.ts';
import {
  leadsTo,
  lossLine,
  missedRequests,
  nearestLoss,
  seenLosses,
  silentLosses,
} from './key-loss.ts';
import { requestPaths } from './reach-paths.ts';
import { type ChangedServices, type Services, witnessed } from './reach-witness.ts';

/**
 * Whether the candidates really served the lane's requests: sent is what the router did, served is
 * what the instance answered about itself. A run without both, or of which a part went to the
 * baseline unseen, proves nothing.
 */
export function proveReach(lane: ChangedServices, all: readonly Hop[], system: Services): Reach {
  const hops = witnessed(all, lane, system);
  const routed = hops.filter((hop) => !hop.escaped && !isStruck(hop));
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
  const services = reached.map(({ service }) => service);
  const seen = seenLosses(paths, system);
  const instances = reached.map(({ instance }) => instance);
  const missed = missedRequests(paths, instances, seen);
  const cached = missed.filter(({ how }) => how === 'cached');
  // A guess, and none about the lane's own instances: what they call is the lane's.
  const silent = silentLosses(paths, services, system).filter(
    ({ by, to }) =>
      !services.includes(by ?? '') && !cached.some((loss) => loss.by === by && loss.to === to),
  );
  const lost = uniqueLosses([...seen, ...cached, ...silent]);
  const reason = doubtAbout({ reached, wanted: servicesToReach(lane), lost, missed }, system);
  return {
    proven: reason === null,
    reason,
    candidates: reached,
    hops: hops.length,
    silent: [...receivers].filter((service) => !callers.has(service)).sort(),
    lost,
  };
}

/** Each cause once, with the first request that met it. */
function uniqueLosses(losses: readonly KeyLoss[]): KeyLoss[] {
  const causes = new Map<string, KeyLoss>();
  for (const loss of losses) {
    const { how, by, to, what } = loss;
    const cause = JSON.stringify([how, by, to, what.replace(/\?.*$/, '')]);
    if (!causes.has(cause)) causes.set(cause, loss);
  }
  return [...causes.values()];
}

/** Copies keep a changed service company; only where nothing is changed, they are the point. */
function servicesToReach({ candidates }: ChangedServices): string[] {
  const compared = candidates.filter(({ version }) => version !== 'caller');
  const changed = compared.filter(({ version }) => version !== 'copy');
  return (changed.length > 0 ? changed : compared).map(({ service }) => service);
}

interface ReachFacts {
  readonly reached: readonly ServiceReach[];
  readonly wanted: readonly string[];
  readonly lost: readonly KeyLoss[];
  /** Of requests that should have come to a candidate, and did not. */
  readonly missed: readonly KeyLoss[];
}

function doubtAbout(
  { reached, wanted, lost, missed }: ReachFacts,
  system: Services,
): string | null {
  if (reached.length === 0) return 'the lane has no candidate';
  // Where there is no candidate, the baseline is what should have served it anyway.
  const changed = reached.map(({ service }) => service);
  const fatal = lost.find(
    ({ how, to }) =>
      how === 'misserved' ||
      (['escaped', 'untagged'].includes(how) && changed.includes(to)) ||
      (how === 'timed' && leadsTo(to, changed, system.services)),
  );
  if (fatal) return lossLine(fatal);
  const [cause] = missed;
  if (cause) return lossLine(cause);
  const unserved = reached
    .filter(({ service, served }) => served === 0 && wanted.includes(service))
    .map(({ service }) => service);
  if (unserved.length > 0) {
    const likely = lost.find(({ how, by }) => how === 'mixed' && by !== null);
    const silent = likely ?? nearestLoss(lost, unserved, system);
    return silent ? lossLine(silent) : `no request came to ${unserved.join(', ')}`;
  }
  const partly = reached.find(({ sent, served }) => sent !== served);
  return partly
    ? `${partly.service} served ${partly.served} of ${partly.sent} requests sent to it`
    : null;
}
