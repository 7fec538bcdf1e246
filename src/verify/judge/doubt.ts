import type { Hop, Reach } from '../../lanes/index.ts';
import type { Difference } from '../compare/index.ts';
import type { SuiteRun } from '../suites/run-suite.ts';
import { isGiven, type Replay } from '../traffic/index.ts';

/** What was sent besides what suites ask. */
export type Besides = Pick<Replay, 'scenarios' | 'unsent'>;

interface Run {
  readonly control: readonly SuiteRun[];
  readonly candidate: readonly SuiteRun[];
  readonly differences: readonly Difference[];
  readonly besides?: Besides;
  readonly reach: Reach;
  readonly hops: readonly Hop[];
}

/** What is wrong with the run itself: then it says nothing about the change. */
export function doubtAbout(run: Run): string | null {
  const { control, candidate, reach } = run;
  // What can't be started or is dead is the change's own doing, whatever came of the requests.
  if (run.differences.some(({ class: kind }) => kind === 'start')) return null;
  const broken = [...control, ...candidate].find(({ result }) => result === 'broken');
  if (broken) return `suite ${broken.suite} could not be run: ${broken.reason}`;
  const sick = control.find(({ result }) => result === 'failed');
  if (sick) return `suite ${sick.suite} fails on the baseline, too`;
  const isWell =
    run.differences.length === 0 && candidate.every(({ result }) => result === 'passed');
  // A test that came with the change is among those of the candidate: it is no suite.
  const unasked = control.length === 0 && isWell ? whyUnasked(run) : null;
  if (unasked !== null) return unasked;
  if (reach.proven || isRefusedByCandidate(run)) return null;
  return `the requests did not reach the changed services: ${reach.reason ?? 'none was seen'}`;
}

/**
 * What clients really sent may stand for suites, if something of each route was sent and answered.
 * What somebody made up for this verdict may show what is wrong, and never that nothing is: its
 * author would choose what to be judged by.
 */
function whyUnasked({ besides, candidate, reach, hops }: Run): string | null {
  const wanted = 'write a suite (docs/suites.md) or record traffic (docs/traffic.md)';
  const sent = besides?.scenarios.filter(({ requests }) => requests.length > 0) ?? [];
  if (sent.length === 0 && candidate.length > 0) {
    return `no suite was run, only the test that came with the change: ${wanted}`;
  }
  if (sent.length === 0) return `no suite was run: ${wanted}`;
  if (sent.every(isGiven)) {
    return `nothing differs, but only requests that were given were compared: ${wanted}`;
  }
  const [unsent] = besides?.unsent ?? [];
  if (unsent !== undefined) return `no suite was run, and of what was recorded not ${unsent}`;
  const isAnswered = reach.candidates.every(({ instance }) =>
    hops.some(({ served, status }) => served === instance && status > 0 && status < 400),
  );
  return isAnswered ? null : `no suite was run, and what was recorded is refused now: ${wanted}`;
}

/**
 * Everything that a candidate did not serve was sent to it, and it gave no answer: nothing got
 * lost on the way. Only where that is held against the change, or it would pass for nothing.
 */
function isRefusedByCandidate({ reach, hops, differences }: Run): boolean {
  const unserved = reach.candidates.flatMap(({ instance }) =>
    hops.filter((hop) => hop.instance === instance && hop.served !== instance && !hop.escaped),
  );
  const isTold = ({ service }: Difference): boolean =>
    reach.candidates.some((one) => one.service === service && one.sent > 0);
  return (
    reach.candidates.every(({ sent }) => sent > 0) &&
    // That a service did not call on is a guess, and none of what was sent to the candidate.
    reach.lost.every(({ how }) => how === 'silent') &&
    unserved.length > 0 &&
    unserved.every(({ answered }) => answered === false) &&
    differences.some((one) => one.class === 'status' && isTold(one))
  );
}
