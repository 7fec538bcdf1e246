import { durationMs, durationPattern, fault, type Instant, nearest } from '../../kernel/index.ts';
import type { AskedText } from '../api-schema.ts';
import { telemetryLimits } from '../limits.ts';
import { severities } from '../severity.ts';
import { questions } from './catalogue.ts';
import {
  type ParameterName,
  parameterMeanings,
  type Question,
  type QuestionInput,
} from './question.ts';

export function findQuestion(name: string): Question {
  const found = questions.find((question) => question.name === name);
  if (found) return found;
  const names = questions.map((question) => question.name);
  const near = nearest(name, names);
  const meant = near === undefined ? '' : ` Did you mean "${near}"?`;
  throw fault('TELEMETRY_QUESTION_UNKNOWN', { name, meant, names: names.join(', ') });
}

/** Every parameter is used or refused; none is silently ignored. */
export function checkQuestion(question: Question, given: AskedText, now: Instant): QuestionInput {
  const range = rangeOf(given, now, question.sinceMs);
  const parameters = parameterNames.flatMap((name) => {
    const value = given[name];
    return value === undefined ? [] : [[name, checkParameter(question, name, value)] as const];
  });
  const { needs = [] } = question;
  if (needs.length > 0 && !needs.some((name) => given[name] !== undefined)) {
    throw wrong(question.name, `needs ${needs.join(' or ')}: ${meaningsOf(needs)}`);
  }
  const rowsMax = given.rowsMax ?? telemetryLimits.telemetryQuestionRows;
  return { ...range, ...Object.fromEntries(parameters), rowsMax };
}

const parameterNames = Object.keys(parameterMeanings) as ParameterName[];

function checkParameter({ name: question, takes }: Question, name: ParameterName, value: string) {
  if (!takes.includes(name)) {
    throw wrong(question, `takes no ${name}; it takes ${takes.join(', ') || 'none'}`);
  }
  if (
    value === '' ||
    value.length > telemetryLimits.telemetryParameterCharsMax ||
    value.includes('\0')
  ) {
    const most = telemetryLimits.telemetryParameterCharsMax;
    throw wrong(question, `takes a ${name} of 1 to ${most} characters`);
  }
  if (name === 'severity' && !severities.some((severity) => severity === value)) {
    throw wrong(question, `takes a severity of ${severities.join(', ')}, not "${value}"`);
  }
  if (name === 'trace') return traceOf(question, value);
  return value;
}

function traceOf(question: string, value: string): string {
  const id = value.toLowerCase();
  if (/^[0-9a-f]{32}$/.test(id)) return id;
  throw wrong(question, `takes a trace of 32 hex digits, not "${value}"`);
}

export function rangeOf(
  { since, until }: Pick<AskedText, 'since' | 'until'>,
  now: Instant,
  sinceMs: number | null,
): { readonly from: Instant; readonly until: Instant } {
  // Rows stored in this very millisecond belong to "until now", too.
  const end = until === undefined ? now + 1 : instantOf('until', until, now);
  const start = sinceMs === null ? 0 : Math.max(0, end - sinceMs);
  const from = since === undefined ? start : instantOf('since', since, now);
  if (from < end) return { from, until: end };
  throw wrong('The range', 'ends before it begins; give a since that is before until');
}

function instantOf(name: string, given: string, now: Instant): Instant {
  if (durationPattern.test(given)) return Math.max(0, now - durationMs(given));
  const at = /^\d{4}-\d\d/.test(given) ? Date.parse(given) : Number.NaN;
  // Later times have no literal.
  if (at >= 0 && at < Date.UTC(2200, 0)) return at;
  throw wrong(
    name,
    `is a duration before now such as 10m, 2h or 7d, or a time such as 2026-03-01T09:00:00Z, not "${given.slice(0, 60)}"`,
  );
}

function meaningsOf(names: readonly ParameterName[]): string {
  return names.map((name) => parameterMeanings[name]).join('; ');
}

function wrong(what: string, reason: string): Error {
  return fault('TELEMETRY_ASKED_WRONGLY', { what, reason });
}
