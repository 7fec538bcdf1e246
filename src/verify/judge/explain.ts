import type { Host } from '../../lanes/index.ts';
import { laneLimits } from '../../lanes/limits.ts';
import type { Finding, Verdict } from '../api-schema.ts';
import type { Evidence } from './evidence.ts';

const logLinesMax = 20;
/** The verdict is cut to about this many findings anyway. */
const requestsMax = 20;

/**
 * Adds what the services logged about the requests of findings, while the logs are there. An id may
 * come from a suite or from the candidate's answer: one that no request had could match any line.
 */
export async function explain(
  verdict: Verdict,
  { hops, logs: names }: Pick<Evidence, 'hops' | 'logs'>,
  { host }: { readonly host: Pick<Host, 'findLines'> },
): Promise<Verdict> {
  const requestIds = new Set(hops.flatMap(({ requestId }) => requestId ?? []));
  const ids = verdict.findings
    .flatMap(({ requestId }) => requestId ?? [])
    .filter((id) => id.length >= laneLimits.requestIdCharsMin && requestIds.has(id));
  const logs = new Map<string, readonly string[]>();
  for (const id of [...new Set(ids)].slice(0, requestsMax)) {
    logs.set(id, errorsFirst(await host.findLines(id, logLinesMax, names)));
  }
  const findings = verdict.findings.map((finding) => ({
    ...finding,
    logs: lastOutput(finding) ?? logs.get(finding.requestId ?? '') ?? [],
  }));
  return { ...verdict, findings };
}

const trouble =
  /"(?:level|severity)":\s*(?:"(?:warn|err|fatal|crit)|[456]0\b)|\b(?:error|exception|fatal|panic|traceback|warning)\b/i;

/** Warnings and errors first: a long verdict loses its last lines. */
function errorsFirst(lines: readonly string[]): string[] {
  const [errors, others] = [true, false].map((wanted) =>
    lines.filter((line) => trouble.test(line) === wanted),
  );
  return [...(errors ?? []), ...(others ?? [])];
}

/** What a service printed last before it died says more than any request. */
function lastOutput(finding: Finding): readonly string[] | null {
  if (finding.kind !== 'difference' || finding.class !== 'start') return null;
  const { after } = finding.examples;
  return Array.isArray(after) ? after.map(String) : [];
}
