import type { Hop } from '../../router/index.ts';
import type { KeyLoss, Reach, ServiceReach } from '../api-schema.ts';
import { isStruck } from './injected-faults.ts';
import { leadsTo, lossLine, nearestLoss, seenLosses, silentLosses } from './key-loss.ts';
import { requestPaths } from './reach-paths.ts';
import { type ChangedServices, type Services, witnessed } from './reach-witness.ts';

/**
 * Whether the candidates really served the lane's requests: sent is what the router did, served is
 * what the instance answered about itself. A run without both, or of which a part went to the
 * baseline unseen, proves nothing.
 */
export function proveReach(lane: ChangedServices, seen: readonly Hop[], system: Services): Reach {
  const hops = witnessed(seen, lane, system);
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
  const lost = [...seenLosses(paths, system), ...silentLosses(paths, services, system)];
  const reason = doubtAbout({ reached, wanted: servicesToReach(lane), lost }, system);
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
function servicesToReach({ candidates }: ChangedServices): string[] {
  const changed = candidates.filter(({ version }) => version !== 'copy');
  return (changed.length > 0 ? changed : candidates).map(({ service }) => service);
}

interface ReachFacts {
  readonly reached: readonly ServiceReach[];
  readonly wanted: readonly string[];
  readonly lost: readonly KeyLoss[];
}

function doubtAbout({ reached, wanted, lost }: ReachFacts, system: Services): string | null {
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
  const missed = reached
    .filter(({ service, served }) => served === 0 && wanted.includes(service))
    .map(({ service }) => service);
  if (missed.length > 0) {
    const silent = nearestLoss(lost, missed, system);
    return silent ? lossLine(silent) : `no request came to ${missed.join(', ')}`;
  }
  const partly = reached.find(({ sent, served }) => sent !== served);
  return partly
    ? `${partly.service} served ${partly.served} of ${partly.sent} requests sent to it`
    : null;
}
