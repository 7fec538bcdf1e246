import type { Difference } from '../compare/index.ts';
import { isGiven } from '../traffic/index.ts';
import type { Evidence } from './evidence.ts';

type Observations = Pick<
  Evidence,
  'control' | 'candidate' | 'differences' | 'extraTraffic' | 'reach' | 'hops'
>;

/** What is wrong with the run itself, so that it says nothing about the change. */
export function doubtAbout(run: Observations): string | null {
  const { control, candidate, reach } = run;
  // If a service does not start or dies, the change causes that, whatever the requests show.
  if (run.differences.some(({ class: kind }) => kind === 'start')) return null;
  const broken = [...control, ...candidate].find(({ result }) => result === 'broken');
  if (broken) return `suite ${broken.suite} could not be run: ${broken.reason}`;
  const failing = control.find(({ result }) => result === 'failed');
  if (failing) return `suite ${failing.suite} also fails on the baseline`;
  const isWell =
    run.differences.length === 0 && candidate.every(({ result }) => result === 'passed');
  // `candidate` may hold the test that came with the change, which is not a suite.
  const insufficient = control.length === 0 && isWell ? whyInsufficient(run) : null;
  if (insufficient !== null) return insufficient;
  if (reach.proven || isRefusedByCandidate(run)) return null;
  return `the requests did not reach the changed services: ${reach.reason ?? 'no request was seen'}`;
}

/**
 * Recorded requests may replace suites if each route was sent and answered. Requests that somebody
 * gave with the change may show a problem, but never that there is none: the author of a change
 * would choose what it is judged by.
 */
function whyInsufficient({ extraTraffic, candidate, reach, hops }: Observations): string | null {
  const wanted = 'write a suite (docs/suites.md) or record traffic (docs/traffic.md)';
  const sent = extraTraffic?.scenarios.filter(({ requests }) => requests.length > 0) ?? [];
  if (sent.length === 0 && candidate.length > 0) {
    return `no suite was run, only the test of the change: ${wanted}`;
  }
  if (sent.length === 0) return `no suite was run: ${wanted}`;
  if (sent.every(isGiven)) {
    return `nothing differs, but only requests given with the change were compared: ${wanted}`;
  }
  const [unsent] = extraTraffic?.unsent ?? [];
  if (unsent !== undefined)
    return `no suite was run, and this recorded route was not sent: ${unsent}`;
  const isAnswered = reach.candidates.every(({ instance }) =>
    hops.some(({ served, status }) => served === instance && status > 0 && status < 400),
  );
  return isAnswered ? null : `no suite was run, and recorded requests are refused now: ${wanted}`;
}

/**
 * Every request that a candidate did not serve was sent to it and got no answer: none got lost on
 * the way. Only if that is a finding; otherwise the change would pass without having served any.
 */
function isRefusedByCandidate({ reach, hops, differences }: Observations): boolean {
  const unserved = reach.candidates.flatMap(({ instance }) =>
    hops.filter((hop) => hop.instance === instance && hop.served !== instance && !hop.escaped),
  );
  const isFound = ({ service }: Difference): boolean =>
    reach.candidates.some((one) => one.service === service && one.sent > 0);
  return (
    reach.candidates.every(({ sent }) => sent > 0) &&
    // That a service made no further call is a guess, and not about requests to the candidate.
    reach.lost.every(({ how }) => how === 'silent') &&
    unserved.length > 0 &&
    unserved.every(({ answered }) => answered === false) &&
    differences.some((one) => one.class === 'status' && isFound(one))
  );
}
