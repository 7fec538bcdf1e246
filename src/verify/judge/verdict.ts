import { pluralize } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import type {
  CallCount,
  CopiedCaller,
  Dispute,
  Finding,
  FindingEvidence,
  SuiteRun,
  Verdict,
  WireFinding,
} from '../api-schema.ts';
import { type Difference, hopName } from '../compare/index.ts';
import { verifyLimits } from '../limits.ts';
import { coverageNotices, formatUndistinguished } from '../line-coverage/format-coverage.ts';
import { formatPass, isDecided, whyUnproven } from './basis.ts';
import { doubtAbout } from './doubt.ts';
import type { Evidence } from './evidence.ts';
import { markExplained } from './explained-findings.ts';
import { checkId, differenceId } from './finding-id.ts';
import type { Suspicion } from './suspect-lines.ts';

/** Pure: judges the evidence. Says `inconclusive` rather than guess. */
export function judge(evidence: Evidence): Verdict {
  const { candidate, notices, reach, profile, signals, remarks, hops, coverage } = evidence;
  const { callers = [] } = evidence;
  const found = [...differenceFindings(evidence), ...failedChecks(evidence)];
  const findings = markExplained(found, hops);
  const checks = countChecks(evidence);
  const outcome = outcomeOf(evidence, findings.length, checks);
  const verdict: Verdict = {
    ...outcome,
    findings,
    findingsOmitted: 0,
    notices: [
      ...callers.map(formatCaller),
      ...(coverage ? coverageNotices(coverage) : []),
      ...(outcome.verdict === 'pass' ? undistinguished(evidence) : []),
      ...notices.filter(({ disputed }) => !disputed).map(formatNotice),
      ...remarks,
    ],
    reach,
    ...(callers.length > 0 ? { callers } : {}),
    calls: countCalls(hops),
    checks,
    ...(candidate.length > 0 ? { suites: candidate.map(countSuite) } : {}),
    profile,
    signals: outcome.verdict === 'pass' ? signals.filter(isDecided) : signals,
    ...(coverage ? { coverage } : {}),
  };
  const all = [...notices, ...candidate.flatMap((run) => run.checks)];
  return withDisputes(
    verdict,
    all.flatMap(({ disputed }) => disputed ?? []),
  );
}

/** A pass because nothing differs says nothing about what the change is for. */
function undistinguished({ coverage, notices, isTested }: Evidence): string[] {
  return coverage && notices.length === 0 && !isTested ? formatUndistinguished(coverage) : [];
}

type VerdictOutcome = Pick<Verdict, 'verdict' | 'reason'>;

function outcomeOf(
  evidence: Evidence,
  findings: number,
  { passed, failed }: Verdict['checks'],
): VerdictOutcome {
  const { candidate, differences, doubts, undecided } = evidence;
  const doubt = doubtAbout(evidence);
  if (doubt) return { verdict: 'inconclusive', reason: doubt };
  if (findings > 0) {
    const confirmed = `${pluralize(differences.length, 'difference')} confirmed`;
    return { verdict: 'fail', reason: `${pluralize(failed, 'check')} failed, ${confirmed}` };
  }
  const [open] = [...doubts, ...undecided];
  if (open) return { verdict: 'inconclusive', reason: open };
  const unproven = whyUnproven(evidence);
  if (unproven !== null) return { verdict: 'inconclusive', reason: unproven };
  const [same] = evidence.undistinguished === 'inconclusive' ? undistinguished(evidence) : [];
  if (same !== undefined) return { verdict: 'inconclusive', reason: same };
  const held =
    candidate.length > 0 ? `${pluralize(passed, 'check')} passed` : 'recorded requests were sent';
  return {
    verdict: 'pass',
    reason: formatPass(`${held} and nothing got worse on any hop`, evidence),
  };
}

/** Adds the disputes that a verdict relies on. */
function withDisputes(verdict: Verdict, marks: readonly Dispute[]): Verdict {
  const disputed = [...new Map(marks.map((one) => [one.finding, one])).values()];
  if (disputed.length === 0) return verdict;
  return {
    ...verdict,
    ...(verdict.verdict === 'pass' ? passByDisputes(disputed.length, verdict) : {}),
    disputed: disputed.slice(0, verifyLimits.verdictDisputesMax),
    notices: [...disputed.map(formatDispute), ...verdict.notices],
  };
}

/** A pass lapses with any of its disputes, so it must be able to store all of them. */
function passByDisputes(count: number, { reason }: Verdict): VerdictOutcome {
  const most = verifyLimits.verdictDisputesMax;
  return count > most
    ? { verdict: 'inconclusive', reason: `${count} findings are disputed, more than ${most}` }
    : {
        verdict: 'pass',
        reason: `all findings (${count}) are disputed or intended, so none counts; ${reason}`,
      };
}

function formatDispute({ finding, owner, reason, until }: Dispute): string {
  if (until === 0) return `${finding} is intended, says ${owner}: ${reason}`;
  const day = new Date(until).toISOString().slice(0, 10);
  return `${finding} is disputed by ${owner} until ${day}: ${reason}`;
}

function failedChecks(evidence: Evidence): Finding[] {
  const { candidate, hops, changed } = evidence;
  return candidate.flatMap(({ suite, checks }) =>
    checks
      .filter(({ passed, disputed }) => !passed && !disputed)
      .map((failed) => {
        const { check, expected, actual, requestId } = failed;
        const own = hopsOfRequest(requestId, hops);
        const service = own.find(({ to }) => changed.includes(to))?.to ?? null;
        const example = { requestId, traceId: own.at(-1)?.traceId ?? null };
        const suspicion = { service, words: [check, ...own.map(({ path }) => path)] };
        return {
          kind: 'check' as const,
          service,
          suite,
          check,
          expected,
          actual,
          path: own.map(formatPathHop),
          ...findingEvidence(checkId(suite, failed), example, suspicion, { ...evidence, suite }),
        };
      }),
  );
}

function differenceFindings(evidence: Evidence): Finding[] {
  return evidence.differences.map((difference) => {
    const example = exampleOf(difference, evidence.hops);
    const { service, hop, place, examples } = difference;
    const words = [hop ?? '', place ?? '', difference.what, JSON.stringify(examples.after)];
    const suite = suiteOf(example, evidence);
    const id = differenceId(difference);
    const found = findingEvidence(id, example, { service, words }, { ...evidence, suite });
    const proof = { ...found, reproduction: difference.request ?? found.reproduction };
    return difference.class === 'contract'
      ? { ...wireFinding(difference), ...proof }
      : { kind: 'difference', ...withoutMarks(difference), ...proof };
  });
}

/** The suite that sent a request, if a check names the request; null for all suites. */
function suiteOf({ requestId }: ExampleRequest, { candidate }: Evidence): string | null {
  const [only, ...more] = candidate;
  if (only && more.length === 0) return only.suite;
  const named = candidate.find(({ checks }) =>
    checks.some((check) => requestId !== null && check.requestId === requestId),
  );
  return named?.suite ?? null;
}

/** `explain` adds the logs. */
function findingEvidence(
  id: string,
  example: ExampleRequest,
  suspicion: Suspicion,
  { findLines, reproduce, showTrace, suite }: Evidence & { readonly suite: string | null },
): FindingEvidence {
  const { traceId } = example;
  return {
    id,
    ...example,
    trace: traceId === null ? null : showTrace(traceId),
    logs: [],
    lines: findLines(suspicion),
    reproduction: reproduce(suite),
  };
}

function wireFinding(difference: Difference): Omit<WireFinding, keyof FindingEvidence> {
  const { service, what, hop, place, before, after, examples, confidence } = difference;
  const [part, ...field] = (place ?? '').split(' ');
  return {
    kind: 'wire',
    class: 'contract',
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

function withoutMarks(difference: Difference) {
  const { severity: _, which: __, disputed: ___, request: ____, ...plain } = difference;
  return plain;
}

function formatNotice({ service, what, hop, place, after }: Difference): string {
  const where = [hop, place].filter((one) => one !== null).join(', ');
  return `${what} by ${service}: ${where || service}: ${after}`;
}

function formatCaller({ service, why, startMs, memoryBytes }: CopiedCaller): string {
  const memory = memoryBytes === null ? '' : `, ${Math.round(memoryBytes / 1_048_576)} MB`;
  const cost = `ready after ${(startMs / 1_000).toFixed(1)} s${memory}`;
  return `${service} ran as a copy in both lanes: ${why} (${cost})`;
}

function formatPathHop({ from, to, instance, status, injected }: Hop): string {
  const met = injected === undefined ? '' : `, injected: ${injected}`;
  return `${from ?? 'outside'} → ${to} (${instance}) ${status}${met}`;
}

function countChecks({ candidate }: Evidence): Verdict['checks'] {
  const checks = candidate.flatMap((run) => run.checks);
  const failed = checks.filter((check) => !check.passed);
  return {
    passed: checks.length - failed.length,
    failed: failed.filter(({ disputed }) => !disputed).length,
  };
}

function countSuite({ suite, checks }: SuiteRun) {
  const failed = checks.filter(({ passed, disputed }) => !passed && !disputed).length;
  return { suite, checks: checks.length, failed };
}

type ExampleRequest = {
  readonly requestId: string | null;
  readonly traceId: string | null;
};

/** A request that shows a difference: the last one over that hop, preferably one that failed. */
function exampleOf(difference: Difference, hops: readonly Hop[]): ExampleRequest {
  const own = hops.filter((hop) => isAbout(hop, difference));
  const text = JSON.stringify(difference.examples.after);
  const named = own.findLast(({ requestId }) => requestId !== null && text.includes(requestId));
  const failed = own.findLast(({ status }) => status >= 500);
  const isKnown = ({ requestId }: Hop): boolean => requestId !== null;
  const hop = named ?? failed ?? own.findLast(isKnown) ?? own.at(-1);
  return { requestId: hop?.requestId ?? null, traceId: hop?.traceId ?? null };
}

/** The hops of a request whose id a suite reported. */
function hopsOfRequest(requestId: string | null, hops: readonly Hop[]): Hop[] {
  return hops.filter((hop) => requestId !== null && hop.requestId === requestId);
}

function isAbout(hop: Hop, { hop: name, service }: Difference): boolean {
  return name === null ? hop.to === service || hop.from === service : hopName(hop) === name;
}

const callsMax = 24;

function countCalls(hops: readonly Hop[]): CallCount[] {
  const pairs = Map.groupBy(hops, ({ from, to }) => JSON.stringify([from ?? 'outside', to]));
  return [...pairs].slice(0, callsMax).map(([pair, calls]) => {
    const [from, to] = JSON.parse(pair) as [string, string];
    const failed = calls.filter(({ status }) => status >= 500 || status === 0).length;
    return { from, to, count: calls.length, failed };
  });
}
