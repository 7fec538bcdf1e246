import { limits } from '../../kernel/index.ts';
import type { Hop, Host, Lane } from '../../lanes/index.ts';
import type { Finding } from './finding.ts';
import type { Verdict } from './verdict.ts';

const logLinesMax = 20;
/** Those after them are cut from the verdict anyway. */
const requestsMax = 20;

/** Where something about the requests of a run may stand, and nothing of anybody else. */
export interface Heard {
  readonly requestIds: ReadonlySet<string>;
  readonly logs: ReadonlySet<string>;
}

export function heardBy(lanes: readonly Lane[], hops: readonly Hop[]): Heard {
  const own = lanes.flatMap(({ candidates }) => candidates.map(({ name }) => name));
  return {
    requestIds: new Set(hops.flatMap(({ requestId }) => requestId ?? [])),
    logs: new Set([...own, ...hops.map(({ to }) => to)]),
  };
}

/**
 * What the services said about the requests of findings, while their logs are there. The id comes
 * from the suite or from the candidate's own answer: a text that no request had may be anything.
 */
export async function withLogs(
  verdict: Verdict,
  heard: Heard,
  host: Pick<Host, 'findLines'>,
): Promise<Verdict> {
  const ids = verdict.findings
    .flatMap(({ requestId }) => requestId ?? [])
    .filter((id) => id.length >= limits.requestIdCharsMin && heard.requestIds.has(id));
  const logs = new Map<string, readonly string[]>();
  for (const id of [...new Set(ids)].slice(0, requestsMax)) {
    logs.set(id, tellingFirst(await host.findLines(id, logLinesMax, heard.logs)));
  }
  const findings = verdict.findings.map((finding) => ({
    ...finding,
    logs: lastWords(finding) ?? logs.get(finding.requestId ?? '') ?? [],
  }));
  return { ...verdict, findings };
}

const trouble =
  /"(?:level|severity)":\s*(?:"(?:warn|err|fatal|crit)|[456]0\b)|\b(?:error|exception|fatal|panic|traceback|warning)\b/i;

/** Warnings and errors before the rest: of a verdict with much to tell, the last lines are cut. */
function tellingFirst(lines: readonly string[]): string[] {
  const [telling, others] = [true, false].map((wanted) =>
    lines.filter((line) => trouble.test(line) === wanted),
  );
  return [...(telling ?? []), ...(others ?? [])];
}

/** Of one that is not there, what it said at last tells more than any request. */
function lastWords(finding: Finding): readonly string[] | null {
  if (finding.kind !== 'difference' || finding.class !== 'start') return null;
  const { after } = finding.examples;
  return Array.isArray(after) ? after.map(String) : [];
}
