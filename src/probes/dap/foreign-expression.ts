import { fault, isSecretName, isWeakSecretName } from '../../kernel/index.ts';
import type { ProbeExpression } from '../expression/check.ts';
import { probeLimits } from '../limits.ts';
import { parseReadExpression, type ReadExpression } from './expression.ts';
import type { DapLanguage } from './expression-tokens.ts';

/** An expression in Python or Go that passed the allow-list. */
export interface ForeignExpression {
  readonly text: string;
  readonly read: ReadExpression;
  /** It names something that is secret by its name, so nobody gets to see its value. */
  readonly isSecret: boolean;
  /** What its value is called, if it is a path. */
  readonly name: string | undefined;
}

/** Nothing for files that Node runs. */
export function languageOf(file: string): DapLanguage | undefined {
  if (file.endsWith('.py')) return 'Python';
  return file.endsWith('.go') ? 'Go' : undefined;
}

export function readForeignExpression(text: string, language: DapLanguage): ForeignExpression {
  const { probeExpressionCharsMax: max } = probeLimits;
  if (text.length > max) throw invalid(text, `it is longer than ${max} characters`);
  // Braces have a meaning in delve's log messages, even within a string.
  if (/[{}]/.test(text)) throw invalid(text, 'it contains a brace');
  const read = parseReadExpression(text, language);
  const name = nameOf(read);
  const isSecret = namesOf(read).some(isSecretName) || (name === undefined && usesWeak(read));
  return { text, read, isSecret, name };
}

/** Whether there is a hit would tell a secret bit by bit, so a condition must not name one. */
export function readForeignCondition(text: string, language: DapLanguage): ForeignExpression {
  const condition = readForeignExpression(text, language);
  if (condition.isSecret) throw invalid(text, 'a condition must not depend on a secret');
  return condition;
}

export function checkForeignExpression(text: string, language: DapLanguage): ProbeExpression {
  return asProbeExpression(readForeignExpression(text, language));
}

export function checkForeignCondition(text: string, language: DapLanguage): ProbeExpression {
  return asProbeExpression(readForeignCondition(text, language));
}

/** Only what places a probe in Node reads the syntax, and Node has no file of these languages. */
function asProbeExpression({ text, isSecret, name }: ForeignExpression): ProbeExpression {
  const syntax = { type: 'Foreign', start: 0, end: text.length };
  return { text, isSecret, name, syntax };
}

/** What the value of a path of names is called. */
function nameOf(read: ReadExpression): string | undefined {
  if (read[0] === 'name') return read[1];
  if (read[0] === 'attribute') return nameOf(read[1]) === undefined ? undefined : read[2];
  const key = read[0] === 'index' && read[2][0] === 'literal' ? read[2][1] : undefined;
  return typeof key === 'string' ? key : undefined;
}

/** Whether it takes a value apart, or orders it, that may be a token: see `takesApart`. */
function usesWeak(read: ReadExpression): boolean {
  const name = nameOf(read);
  if (name !== undefined) return isWeakSecretName(name);
  if (read[0] === 'index') return usesWeak(read[1]);
  const isTest = read[0] === 'not' || (read[0] === 'compare' && /^(?:[!=]=|is)$/.test(read[1]));
  const inner = read.slice(1).filter((part) => Array.isArray(part)) as unknown as ReadExpression[];
  return inner.some((part) => usesWeak(part) && !(isTest && nameOf(part) !== undefined));
}

function namesOf(read: ReadExpression): readonly string[] {
  if (read[0] === 'name') return [read[1]];
  if (read[0] === 'literal') return typeof read[1] === 'string' ? [read[1]] : [];
  const own = read[0] === 'attribute' ? [read[2]] : [];
  const inner = read.slice(1).filter((part) => Array.isArray(part)) as unknown as ReadExpression[];
  return [...own, ...inner.flatMap(namesOf)];
}

function invalid(text: string, reason: string): Error {
  return fault('PROBE_EXPRESSION_INVALID', { expression: text.slice(0, 80), reason });
}
