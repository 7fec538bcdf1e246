import { pluralize } from '../../kernel/index.ts';
import type { Hop, Reach } from '../../lanes/index.ts';
import type { Confirmed } from '../compare/confirmation.ts';
import type { Difference } from '../compare/index.ts';
import type { Dispute } from '../history/disputes.ts';
import { type SeenCall, seenCalls } from '../observe/call-counts.ts';
import type { Profile } from '../pipeline/profile.ts';
import type { SuiteRun } from '../suites/run-suite.ts';
import { type Besides, doubtAbout } from './doubt.ts';
import { ofRequest, type ShownBy, shownBy, told } from './example-request.ts';
import type { Evidence, Finding, WireFinding } from './finding.ts';
import { checkId, differenceId } from './finding-id.ts';
import type { ServiceSignal } from './service-signal.ts';
import type { ChangedLines, Suspicion } from './suspect-lines.ts';

export type Verdict = {
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
  /** Why, in one sentence. */
  readonly reason: string;
  /** The most causal first. */
  readonly findings: readonly Finding[];
  /** How many more there are than fit. */
  readonly findingsOmitted: number;
  /** What would be findings if nobody had said that they are none. */
  readonly disputed?: readonly Dispute[] | undefined;
  /** What fails nothing, but is worth knowing. */
  readonly notices: readonly string[];
  readonly reach: Reach;
  /** Who called whom for the requests of the change. */
  readonly calls: readonly SeenCall[];
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
  /** Why they can't say that all is well. */
  readonly undecided: readonly string[];
  readonly reach: Reach;
  /** What was sent besides what suites ask. */
  readonly besides?: Besides;
  readonly hops: readonly Hop[];
  readonly changed: readonly string[];
  /** The changed lines that most likely have to do with it. */
  accuse(suspicion: Suspicion): readonly ChangedLines[];
  /** The command that runs one suite on the change again, or all of them. */
  reproduce(suite: string | null): string;
  /** The command that shows a trace, if somebody records them. */
  showTrace(traceId: string): string | null;
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
    calls: seenCalls(observed.hops),
    checks,
    profile,
    signals,
  };
  const doubt = doubtAbout(observed);
  if (doubt) return { verdict: 'inconclusive', reason: doubt, ...common };
  if (findings.length > 0) {
    const failed = `${pluralize(checks.failed, 'check')} failed`;
    const reason = `${failed}, ${pluralize(differences.length, 'difference')} confirmed`;
    return { verdict: 'fail', reason, ...common };
  }
  const [once] = doubts;
  if (once) return { verdict: 'inconclusive', reason: once, ...common };
  const [open] = observed.undecided;
  if (open) return { verdict: 'inconclusive', reason: open, ...common };
  const held =
    candidate.length > 0
      ? `${pluralize(checks.passed, 'check')} held`
      : 'recorded requests were sent';
  const reason = `${held} and nothing changed for the worse on any hop`;
  return { verdict: 'pass', reason, ...common };
}

function failedChecks(observed: Observed): Finding[] {
  const { candidate, hops, changed } = observed;
  return candidate.flatMap(({ suite, checks }) =>
    checks
      .filter(({ passed }) => !passed)
      .map((failed) => {
        const { check, expected, actual, requestId } = failed;
        const own = ofRequest(requestId, hops);
        const service = own.find(({ to }) => changed.includes(to))?.to ?? null;
        const shown = { requestId, traceId: told(own.at(-1)).traceId };
        const suspicion = { service, words: [check, ...own.map(({ path }) => path)] };
        return {
          kind: 'check' as const,
          service,
          suite,
          check,
          expected,
          actual,
          path: own.map(tellHop),
          ...evidence(checkId(suite, failed), shown, suspicion, { ...observed, suite }),
        };
      }),
  );
}

function differenceFindings(observed: Observed): Finding[] {
  return observed.differences.map((difference) => {
    const shown = shownBy(difference, observed.hops);
    const { service, hop, place, examples } = difference;
    const words = [hop ?? '', place ?? '', difference.what, JSON.stringify(examples.after)];
    const suite = suiteOf(shown, observed);
    const suspicion = { service, words };
    const proof = evidence(differenceId(difference), shown, suspicion, { ...observed, suite });
    return difference.class === 'contract'
      ? { ...wireFinding(difference), ...proof }
      : { kind: 'difference', ...withoutSeverity(difference), ...proof };
  });
}

/** Which suite sent a request, as far as it named it; null for all of them. */
function suiteOf({ requestId }: ShownBy, { candidate }: Observed): string | null {
  const [only, ...more] = candidate;
  if (only && more.length === 0) return only.suite;
  const named = candidate.find(({ checks }) =>
    checks.some((check) => requestId !== null && check.requestId === requestId),
  );
  return named?.suite ?? null;
}

/** Logs come later: they have to be asked for. */
function evidence(
  id: string,
  shown: ShownBy,
  suspicion: Suspicion,
  { accuse, reproduce, showTrace, suite }: Observed & { readonly suite: string | null },
): Evidence {
  const { traceId } = shown;
  return {
    id,
    ...shown,
    trace: traceId === null ? null : showTrace(traceId),
    logs: [],
    lines: accuse(suspicion),
    reproduction: reproduce(suite),
  };
}

function wireFinding(difference: Difference): Omit<WireFinding, keyof Evidence> {
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
  };
}

function withoutSeverity({
  severity: _,
  which: __,
  ...difference
}: Difference): Omit<Difference, 'severity' | 'which'> {
  return difference;
}

function tellNotice({ service, what, hop, place, after }: Difference): string {
  const where = [hop, place].filter((one) => one !== null).join(', ');
  return `${what} by ${service}: ${where || service}: ${after}`;
}

function tellHop({ from, to, instance, status, injected }: Hop): string {
  const met = injected === undefined ? '' : `, injected: ${injected}`;
  return `${from ?? 'outside'} → ${to} (${instance}) ${status}${met}`;
}

function count(runs: readonly SuiteRun[]): Verdict['checks'] {
  const checks = runs.flatMap((run) => run.checks);
  const passed = checks.filter((check) => check.passed).length;
  return { passed, failed: checks.length - passed };
}
