import { type Fault, fault } from '../../kernel/index.ts';
import { probeLimits } from '../limits.ts';
import { checkExpression, type ProbeExpression } from './check.ts';

/** A piece of a log's text, or the number of the expression that stands there. */
export type TemplatePart = string | number;

export interface LogTemplate {
  readonly parts: readonly TemplatePart[];
  readonly expressions: readonly ProbeExpression[];
}

/** `amount={amount} type={typeof amount}`; a brace itself is written twice. */
export function parseTemplate(text: string, check = checkExpression): LogTemplate {
  const { probeTemplateCharsMax: max } = probeLimits;
  if (text.length > max) throw invalid(text, `it is longer than ${max} characters`);
  const parts: TemplatePart[] = [];
  const expressions: ProbeExpression[] = [];
  let literal = '';
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string;
    const isDouble = text[index + 1] === character;
    if ((character === '{' || character === '}') && isDouble) {
      literal += character;
      index++;
    } else if (character === '}') {
      throw invalid(text, 'a closing brace has no opening one; write }} for a brace');
    } else if (character === '{') {
      const end = findEnd(text, index);
      parts.push(literal, expressions.length);
      literal = '';
      expressions.push(check(text.slice(index + 1, end)));
      index = end;
    } else {
      literal += character;
    }
  }
  parts.push(literal);
  return { parts: parts.filter((part) => part !== ''), expressions };
}

/** Braces inside an expression belong to it. */
function findEnd(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    if (text[index] === '{') depth++;
    if (text[index] === '}' && --depth === 0) return index;
  }
  throw invalid(text, 'a brace is not closed; write {{ for a brace');
}

function invalid(expression: string, reason: string): Fault {
  return fault('PROBE_EXPRESSION_INVALID', { expression: expression.slice(0, 80), reason });
}
