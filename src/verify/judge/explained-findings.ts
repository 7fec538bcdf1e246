import { type CallTree, type Hop, requestPaths } from '../../lanes/index.ts';
import type { Finding } from '../api-schema.ts';
import { hopName } from '../compare/index.ts';

/**
 * Pure: marks findings that an earlier one explains: failed checks, statuses and errors of requests
 * on whose path it lies, and fields that carry the same value on. They stay findings, and reports
 * show them below their cause. Findings come with the most causal first.
 */
export function markExplained(findings: readonly Finding[], hops: readonly Hop[]): Finding[] {
  const paths = requestPaths(hops).map(({ calls }) => calls);
  const causes: Finding[] = [];
  return findings.map((finding) => {
    const cause = causes.find((earlier) => explains(earlier, finding, paths));
    const marked = cause ? { ...finding, causedBy: cause.causedBy ?? cause.id } : finding;
    // What follows from a consequence has the same cause.
    if (isCause(finding) && causes.length < causesMax) causes.push(marked);
    return marked;
  });
}

/** Each finding is compared with each cause along all paths. */
const causesMax = 12;

function isCause(finding: Finding): boolean {
  return finding.kind !== 'check' && finding.class !== 'signal' && finding.class !== 'load';
}

type Paths = readonly (readonly CallTree[])[];

function explains(cause: Finding, finding: Finding, paths: Paths): boolean {
  if (!isConsequential(cause, finding)) return false;
  return paths.some((calls) => calls.some((call) => isAbove(call, finding, cause)));
}

function isConsequential(cause: Finding, finding: Finding): boolean {
  if (finding.kind === 'check') return true;
  if (finding.kind === 'wire')
    return cause.kind === 'wire' && lastName(cause) === lastName(finding);
  return finding.class === 'status' || finding.class === 'error';
}

function lastName(finding: Finding): string {
  return finding.kind === 'wire' ? (finding.field.split(/[ .]/).at(-1) ?? '') : '';
}

/** Whether this call or one below shows the finding, and the cause lies at or below that call. */
function isAbove(call: CallTree, finding: Finding, cause: Finding): boolean {
  if (isPlace(call.hop, finding) && hasBelow(call, cause)) return true;
  return call.calls.some((below) => isAbove(below, finding, cause));
}

function hasBelow(call: CallTree, cause: Finding): boolean {
  return isPlace(call.hop, cause) || call.calls.some((below) => hasBelow(below, cause));
}

function isPlace(hop: Hop, finding: Finding): boolean {
  if (finding.kind === 'check') {
    return hop.from === null && hop.requestId !== null && hop.requestId === finding.requestId;
  }
  return finding.hop === null ? hop.to === finding.service : hopName(hop) === finding.hop;
}
