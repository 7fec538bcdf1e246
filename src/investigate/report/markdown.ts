import type { CauseCondition, Hypothesis, Investigation, ObservedValues } from '../api-schema.ts';

/** A report for people, with everything that confirms or refutes. Pure. */
export function formatMarkdown(investigation: Investigation): string {
  const sections = [
    head(investigation),
    ...cause(investigation),
    ...alternatives(investigation),
    ...timeline(investigation),
    ...consequences(investigation),
    ...remedies(investigation),
    ...unknowns(investigation),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** The answer in one sentence. */
export function formatAnswer({ cause, suspect }: Investigation): string {
  const { place, separation, missing, condition } = cause;
  if (condition) return `${condition.statement}.`;
  if (!place || !separation || !suspect) return `The cause is unknown. Missing: ${missing}.`;
  const { failing, healthy, predicate } = separation;
  const shares = `in ${share(failing)} of the failing and in ${share(healthy)} of the healthy executions`;
  return `${predicate} ${shares}, at ${place.file}:${place.line}, since ${suspect.commit.slice(0, 10)}.`;
}

const share = ({ held, of }: { held: number; of: number }): string =>
  `${Math.round((100 * held) / Math.max(1, of))} % (${held} of ${of})`;

function head(investigation: Investigation): string {
  const { id, status, question, alert } = investigation;
  const about = question ?? (alert ? `alert ${alert}` : 'the running version');
  return `# ${status === 'confirmed' ? 'Confirmed' : 'Unknown'}: ${text(about)}\n\n${text(formatAnswer(investigation))}\n\nReport ${id}.`;
}

function cause({ cause, suspect, hypotheses }: Investigation): string[] {
  const { place, differences, effects, checks, condition } = cause;
  if (condition) return [conditionSection(condition, checks)];
  if (!place || !suspect) return [];
  const mechanism = hypotheses.find(({ status }) => status === 'confirmed')?.mechanism ?? '';
  const promoted = `${suspect.commit.slice(0, 10)} (${text(suspect.note)}), promoted by ${suspect.by} at ${moment(suspect.at)}`;
  return [
    `## Cause\n\n${text(mechanism)}: \`${place.file}:${place.line}\`\n\n\`\`\`\n${place.text}\n\`\`\`\n\nSince ${promoted}.`,
    table(
      ['read', 'where', 'failing', 'healthy'],
      [
        ...differences.map(({ expression, failing, healthy }) => [
          `\`${expression}\``,
          `${place.file}:${place.line}`,
          values(failing),
          values(healthy),
        ]),
        ...effects.map(({ expression, service, file, line, failing, healthy }) => [
          `\`${expression}\``,
          `${service} ${file}:${line}`,
          values(failing),
          values(healthy),
        ]),
      ],
    ),
    `Checks that fail with the change and pass without it:\n\n${list(checks.map(({ suite, check }) => `${suite}: ${check}`))}`,
  ];
}

function conditionSection(
  { mechanism, place, evidence }: CauseCondition,
  checks: Investigation['cause']['checks'],
): string {
  const where = place ? `: \`${place.file}:${place.line}\`\n\n\`\`\`\n${place.text}\n\`\`\`` : '.';
  const failing = list(checks.map(({ suite, check }) => `${suite}: ${check}`));
  return `## Cause\n\n${text(mechanism)}${where}\n\n${list(evidence)}\n\nChecks that pass without it:\n\n${failing}`;
}

function alternatives({ hypotheses, conditions, ranking }: Investigation): string[] {
  const line = ({ id, status, statement, evidence }: Hypothesis | CauseCondition): string =>
    `${status} ${id}: ${statement}. ${evidence.join('; ')}`;
  const all = [...hypotheses, ...conditions];
  return [
    ...(all.length > 0 ? [`## Hypotheses\n\n${list(all.map(line))}`] : []),
    ...(ranking.length > 0
      ? [
          `## Services by their telemetry\n\n${table(
            ['service', 'score', 'moved'],
            ranking.map(({ service, score, moved }) => [service, String(score), moved]),
          )}`,
        ]
      : []),
  ];
}

function timeline({ timeline }: Investigation): string[] {
  return [`## Timeline\n\n${list(timeline.map(({ at, what }) => `${moment(at)} ${what}`))}`];
}

function consequences({ blastRadius, owners }: Investigation): string[] {
  if (blastRadius.services.length === 0) return [];
  const owner = owners.length > 0 ? owners.join(', ') : 'CODEOWNERS names nobody';
  return [
    `## Who is affected\n\nServices: ${blastRadius.services.join(', ')}. Failing checks: ${blastRadius.checks}. Owner: ${text(owner)}.`,
  ];
}

function remedies({ remedy, regression }: Investigation): string[] {
  if (remedy === '') return [];
  const proof = regression
    ? `Regression case ${regression.id}: fails on the bad version: ${regression.fails}, passes without the change: ${regression.passes}.`
    : '';
  return [
    `## Remedy, as a proposal\n\nThe symptom ended in a lane with this patch. A person decides: \`surety verify\`, then \`surety promote\`.\n\n\`\`\`diff\n${remedy.trimEnd()}\n\`\`\`\n\n${proof}`.trimEnd(),
  ];
}

function unknowns({ unknown }: Investigation): string[] {
  return unknown.length === 0 ? [] : [`## Unknown\n\n${list(unknown)}`];
}

export const moment = (at: number): string => new Date(at).toISOString();

export function values({ types, samples, captures }: ObservedValues): string {
  const shown = samples.map((sample) => JSON.stringify(sample) ?? 'undefined').join(', ');
  return captures === 0 ? 'not executed' : `${types.join(' or ')}: ${text(shown)} (${captures})`;
}

const list = (lines: readonly string[]): string =>
  lines.map((line) => `- ${text(line)}`).join('\n');

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Texts of others stay text: no markup, no line of their own. */
function text(given: string): string {
  return given
    .replaceAll(/[<>]/g, (mark) => (mark === '<' ? '&lt;' : '&gt;'))
    .replaceAll('\n', ' ');
}
