import type { Json } from '../kernel/index.ts';
import type { Hop, Reach } from '../lanes/index.ts';
import type { SuiteRun } from './suite.ts';
import type { WireDifference } from './wire.ts';

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
  | ({ readonly kind: 'wire'; readonly reproduction: string } & WireDifference);

export type Verdict = {
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
  /** Why, in one sentence. */
  readonly reason: string;
  readonly findings: readonly Finding[];
  readonly reach: Reach;
  readonly checks: { readonly passed: number; readonly failed: number };
};

export interface Observed {
  readonly control: readonly SuiteRun[];
  readonly candidate: readonly SuiteRun[];
  readonly reach: Reach;
  readonly hops: readonly Hop[];
  readonly wire: readonly WireDifference[];
  /** Lines of the services' logs, by the id of the request. */
  readonly logs: ReadonlyMap<string, readonly string[]>;
  /** The command that runs one suite in the lane again. */
  reproduce(suite: string): string;
}

/** Pure: what was observed, judged. Says `inconclusive` rather than guess. */
export function judge(observed: Observed): Verdict {
  const { candidate, control, reach, wire } = observed;
  const findings = [...failedChecks(observed), ...wireFindings(observed)];
  const checks = count(candidate);
  const common = { findings, reach, checks };
  const doubt = doubtAbout(control, candidate, reach);
  if (doubt) return { verdict: 'inconclusive', reason: doubt, ...common };
  if (findings.length === 0) {
    const reason = `${checks.passed} checks held and no field changed its type on any hop`;
    return { verdict: 'pass', reason, ...common };
  }
  const reason = `${checks.failed} checks failed, ${wire.length} fields changed on the wire`;
  return { verdict: 'fail', reason, ...common };
}

/** What is wrong with the run itself: then it says nothing about the change. */
function doubtAbout(
  control: readonly SuiteRun[],
  candidate: readonly SuiteRun[],
  reach: Reach,
): string | null {
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

function wireFindings({ wire, candidate, reproduce }: Observed): Finding[] {
  const suite = candidate[0]?.suite ?? '';
  return wire.map((change) => ({ kind: 'wire', ...change, reproduction: reproduce(suite) }));
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
