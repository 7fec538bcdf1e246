import { parse } from 'acorn';
import { type Fault, fault, redactSecrets } from '../../kernel/index.ts';
import { probeLimits } from '../limits.ts';
import { findConstruct } from './read-only.ts';
import { childrenOf, type Syntax } from './syntax.ts';
import { nameOf, takesApart } from './weak-names.ts';

/** An expression that only reads, as far as its text can tell. The target enforces the rest. */
export interface ProbeExpression {
  readonly text: string;
  readonly syntax: Syntax;
  /** Its value depends on something that is secret by its name, so nobody gets to see it. */
  readonly isSecret: boolean;
  /** The name of its value, if it is a path: under some names, a value that looks secret is. */
  readonly name?: string | undefined;
}

/** The first wall: refused before anything is placed. The target's own check is the second. */
export function checkExpression(text: string): ProbeExpression {
  const syntax = parseOne(text);
  const construct = findConstruct(syntax);
  if (construct !== undefined) throw fault('PROBE_NOT_READ_ONLY', { expression: text, construct });
  const isSecret = dependsOnSecret(syntax) || takesApart(syntax);
  return { text, syntax, isSecret, name: nameOf(syntax) };
}

/** Whether a hit takes place would tell a secret bit by bit, so a condition must not name one. */
export function checkCondition(text: string): ProbeExpression {
  const condition = checkExpression(text);
  if (condition.isSecret) throw invalid(text, 'a condition must not depend on a secret');
  return condition;
}

function parseOne(text: string): Syntax {
  if (text.trim() === '') throw invalid(text, 'it is empty');
  if (text.length > probeLimits.probeExpressionCharsMax) {
    const reason = `it is longer than ${probeLimits.probeExpressionCharsMax} characters`;
    throw invalid(`${text.slice(0, 40)}…`, reason);
  }
  const [statement, ...more] = parseWhole(text);
  if (statement?.type === 'ExpressionStatement' && more.length === 0) {
    return statement.expression as Syntax;
  }
  throw invalid(text, 'it is not one expression');
}

/** In parentheses, as it is evaluated later: there must be no second way to read it. */
function parseWhole(text: string): Syntax[] {
  const comments: unknown[] = [];
  try {
    const program = parse(`(${text})`, {
      ecmaVersion: 'latest',
      onComment: () => comments.push(0),
    });
    if (comments.length > 0) throw invalid(text, 'it holds a comment');
    return program.body as Syntax[];
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(text, error.message);
    throw error;
  }
}

/** The type of a secret is no secret; that of an expression could tell it bit by bit. */
function dependsOnSecret(node: Syntax): boolean {
  if (node.type === 'UnaryExpression' && node.operator === 'typeof') {
    const operand = node.argument as Syntax;
    if (isPath(operand)) return false;
  }
  return (
    isSecretName(node.name) || isSecretName(node.value) || childrenOf(node).some(dependsOnSecret)
  );
}

/**
 * What depends on a secret and is more than its name is not evaluated at all: its type, or whether
 * it fails, would tell the secret bit by bit.
 */
export function isEvaluated({ isSecret, syntax }: ProbeExpression): boolean {
  return !isSecret || isPath(syntax);
}

/** `a.b["c"]` */
function isPath(node: Syntax): boolean {
  if (node.type === 'ChainExpression') return isPath(node.expression as Syntax);
  if (node.type !== 'MemberExpression') return /^(?:Identifier|ThisExpression)$/.test(node.type);
  const isPlain = !node.computed || (node.property as Syntax).type === 'Literal';
  return isPlain && isPath(node.object as Syntax);
}

function isSecretName(name: unknown): boolean {
  if (typeof name !== 'string') return false;
  const sample = { [name]: 'any' };
  return redactSecrets(sample) !== sample;
}

function invalid(expression: string, reason: string): Fault {
  return fault('PROBE_EXPRESSION_INVALID', { expression, reason });
}
