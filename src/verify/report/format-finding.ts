import type { Finding, VerifiedChange } from '../api-schema.ts';

/** A finding in words, the same in every report format. */
interface FormattedFinding {
  /** `contract`, `calls`, `check`, …: reports group by it. */
  readonly class: string;
  /** One line: which service does what. */
  readonly title: string;
  /** The hop with its place, or the suite. */
  readonly where: string;
  /** The names of the two sides. */
  readonly sides: readonly [before: string, after: string];
  readonly before: string;
  readonly after: string;
}

const versions = ['before', 'after'] as const;

export function formatFinding(finding: Finding): FormattedFinding {
  if (finding.kind === 'check') {
    const { suite, check, service, expected, actual } = finding;
    const title = service === null ? check : `${check} (through ${service})`;
    const [before, after] = [JSON.stringify(expected), JSON.stringify(actual)];
    const sides = ['expected', 'got'] as const;
    return { class: 'check', title, where: `suite ${suite}`, sides, before, after };
  }
  const { service, what, before, after } = finding;
  const title = `${what.replaceAll('-', ' ')} by ${service}`;
  if (finding.kind === 'wire') {
    const where = `${finding.hop}, ${finding.part} ${finding.field}`;
    const { sampleBefore, sampleAfter } = finding;
    return {
      class: 'contract',
      title,
      where,
      sides: versions,
      before: `${before}, such as ${JSON.stringify(sampleBefore)}`,
      after: `${after}, such as ${JSON.stringify(sampleAfter)}`,
    };
  }
  const { hop, place } = finding;
  const where = [hop, place].filter((one) => one !== null).join(', ') || service;
  return { class: finding.class, title, where, sides: versions, before, after };
}

/** Findings with their consequences; one whose cause was left out stands for itself. */
export function groupByCause(
  findings: readonly Finding[],
): readonly { readonly finding: Finding; readonly consequences: readonly Finding[] }[] {
  const ids = new Set(findings.map(({ id }) => id));
  const isExplained = ({ causedBy }: Finding): boolean =>
    causedBy !== undefined && ids.has(causedBy);
  return findings
    .filter((finding) => !isExplained(finding))
    .map((finding) => ({
      finding,
      consequences: findings.filter((one) => isExplained(one) && one.causedBy === finding.id),
    }));
}

/** A consequence on one line. */
export function formatConsequence(finding: Finding): string {
  const { class: kind, title, where, before, after } = formatFinding(finding);
  return `${kind}: ${title}, ${where}: ${before} → ${after}`;
}

/** When a verdict was reached, for whom, and on which branch, as far as it says so. */
export function formatOrigin({ at, by, ref }: VerifiedChange): string | null {
  const parts = [
    ...(at === undefined
      ? []
      : [`${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`]),
    ...(by === undefined ? [] : [`by ${by}`]),
    ...(ref === undefined ? [] : [`branch ${ref}`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}
