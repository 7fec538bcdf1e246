import type { Json } from '../kernel/index.ts';
import type { Hop, Reach } from '../lanes/index.ts';
import type { Confirmed } from './confirmation.ts';
import type { Difference } from './differences/index.ts';
import type { Profile } from './profile.ts';
import type { ServiceSignal } from './service-signal.ts';
import type { SuiteRun } from './suite.ts';

/** One thing that is wrong with a change, so that whoever made it can act on it. */
export type Finding =
  | {
      readonly kind: 'check';
      readonly suite: string;
      readonly check: string;
      readonly expected: Json;
      readonly actual: Json;
      readonly requestId: string | null;
      /** The services that the request went through, and which instance served it. */
      readonly path: readonly string[];
      /** What the services said about that request. */
      readonly logs: readonly string[];
      readonly reproduction: string;
    }
  | WireFinding
  | DifferenceFinding;

/** A field that changed between two versions in what one service says to another. */
type WireFinding = {
  readonly kind: 'wire';
  /** Whose doing it is. */
  readonly service: string;
  readonly what: string;
  /** `pricing → validation POST /validations`. */
  readonly hop: string;
  readonly part: 'request' | 'response';
  readonly field: string;
  readonly before: string;
  readonly after: string;
  /** A value of either side, to see what is meant. */
  readonly sampleBefore: Json;
  readonly sampleAfter: Json;
  readonly confidence: number;
  readonly reproduction: string;
};

/** Anything else that the change does otherwise. */
type DifferenceFinding = Omit<Difference, 'severity'> & {
  readonly kind: 'difference';
  readonly reproduction: string;
};

export type Verdict = {
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
  /** Why, in one sentence. */
  readonly reason: string;
  /** The most causal first. */
  readonly findings: readonly Finding[];
  /** How many more there are than fit. */
  readonly findingsOmitted: number;
  /** What fails nothing, but is worth knowing. */
  readonly notices: readonly string[];
  readonly reach: Reach;
  readonly checks: { readonly passed: number; readonly failed: number };
  /** How much was looked at. */
  readonly profile: Profile;
  /** What was measured on both versions, request by request. */
  readonly signals: readonly ServiceSignal[];
};

export interface Observed extends Confirmed {
  readonly profile: Profile;
  readonly signals: readonly ServiceSignal[];
  /** What measuring and load have to tell besides. */
  readonly remarks: readonly string[];
  readonly reach: Reach;
  readonly hops: readonly Hop[];
  /** Lines of the services' logs, by the id of the request. */
  readonly logs: ReadonlyMap<string, readonly string[]>;
  /** The command that runs one suite in the lane again. */
  reproduce(suite: string): string;
}

/** Pure: what was observed, judged. Says `inconclusive` rather than guess. */
export function judge(observed: Observed): Verdict {
  const { candidate, differences, doubts, notices, reach, profile, signals, remarks } = observed;
  const findings = [...differenceFindings(observed), ...failedChecks(observed)];
  const checks = count(candidate);
  const common = {
    findings,
    findingsOmitted: 0,
    notices: [...notices.map(tellNotice), ...remarks],
    reach,
    checks,
    profile,
    signals,
  };
  const doubt = doubtAbout(observed);
  if (doubt) return { verdict: 'inconclusive', reason: doubt, ...common };
  if (findings.length > 0) {
    const reason = `${checks.failed} checks failed, ${differences.length} differences were confirmed`;
    return { verdict: 'fail', reason, ...common };
  }
  const [once] = doubts;
  if (once) return { verdict: 'inconclusive', reason: `${once}, and not again`, ...common };
  const reason = `${checks.passed} checks held and nothing changed for the worse on any hop`;
  return { verdict: 'pass', reason, ...common };
}

/** What is wrong with the run itself: then it says nothing about the change. */
function doubtAbout({ control, candidate, reach }: Observed): string | null {
  if (candidate.length === 0) return 'no suite was run';
  const broken = [...control, ...candidate].find(({ result }) => result === 'broken');
  if (broken) return `suite ${broken.suite} could not be run: ${broken.reason}`;
  const sick = control.find(({ result }) => result === 'failed');
  if (sick) return `suite ${sick.suite} fails on the baseline, too`;
  if (!reach.proven) {
    return `the requests did not reach the changed services: ${reach.reason ?? 'none was seen'}`;
  }
  return null;
}

function failedChecks({ candidate, hops, logs, reproduce }: Observed): Finding[] {
  return candidate.flatMap(({ suite, checks }) =>
    checks
      .filter(({ passed }) => !passed)
      .map(({ check, expected, actual, requestId }) => ({
        kind: 'check' as const,
        suite,
        check,
        expected,
        actual,
        requestId,
        path: pathOf(hops, requestId),
        logs: logs.get(requestId ?? '') ?? [],
        reproduction: reproduce(suite),
      })),
  );
}

function differenceFindings({ differences, candidate, reproduce }: Observed): Finding[] {
  const reproduction = reproduce(candidate[0]?.suite ?? '');
  return differences.map((difference) =>
    difference.class === 'contract'
      ? wireFinding(difference, reproduction)
      : { kind: 'difference', ...withoutSeverity(difference), reproduction },
  );
}

function wireFinding(difference: Difference, reproduction: string): WireFinding {
  const { service, what, hop, place, before, after, examples, confidence } = difference;
  const [part, ...field] = (place ?? '').split(' ');
  return {
    kind: 'wire',
    service,
    what,
    hop: hop ?? '',
    part: part === 'response' ? 'response' : 'request',
    field: field.join(' '),
    before,
    after,
    sampleBefore: examples.before,
    sampleAfter: examples.after,
    confidence,
    reproduction,
  };
}

function withoutSeverity({ severity: _, ...difference }: Difference): Omit<Difference, 'severity'> {
  return difference;
}

function tellNotice({ service, what, hop, place, after }: Difference): string {
  const where = [hop, place].filter((one) => one !== null).join(', ');
  return `${what} by ${service}: ${where || service}: ${after}`;
}

function pathOf(hops: readonly Hop[], requestId: string | null): string[] {
  return hops
    .filter((hop) => requestId !== null && hop.requestId === requestId)
    .map(
      ({ from, to, instance, status }) => `${from ?? 'outside'} → ${to} (${instance}) ${status}`,
    );
}

function count(runs: readonly SuiteRun[]): Verdict['checks'] {
  const checks = runs.flatMap((run) => run.checks);
  const passed = checks.filter((check) => check.passed).length;
  return { passed, failed: checks.length - passed };
}
