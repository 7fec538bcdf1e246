import { fault, isSecretName } from '../../kernel/index.ts';
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
  return { text, read, isSecret: namesOf(read).some(isSecretName) };
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
function asProbeExpression({ text, isSecret }: ForeignExpression): ProbeExpression {
  const syntax = { type: 'Foreign', start: 0, end: text.length };
  return { text, isSecret, syntax };
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
