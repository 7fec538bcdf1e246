import {
  compileExpression,
  type Expression,
  ExpressionFailure,
  type ValueShape,
  type Values,
} from '../../src/gate/expression/index.ts';
import type { Json } from '../../src/kernel/index.ts';

/** Nothing bounds them but the counter: arguments of any kind and size. */
const scope: Readonly<Record<string, ValueShape>> = {
  arguments: { kind: 'object', fields: {}, open: { kind: 'any' } },
};

/** Far too much, so that they are stopped on their way. */
export const endless: Readonly<Record<string, string>> = {
  'nested all': 'arguments.numbers.all(a, arguments.numbers.all(b, a + b >= 0))',
  'exists, three levels deep':
    'arguments.numbers.exists(a, arguments.numbers.exists(b, arguments.numbers.exists(c, a + b + c < 0)))',
  'filter and map': 'arguments.numbers.map(a, arguments.numbers.filter(b, b > a)).size() < 0',
  'texts in texts': 'arguments.texts.all(a, arguments.texts.all(b, a != b + "x"))',
  'search in texts': 'arguments.texts.all(a, !a.contains("needle") && !a.endsWith("needle"))',
  'growing texts': 'arguments.texts.map(a, a + a + a + a + a + a + a + a).size() < 0',
  'patterns over texts': 'arguments.texts.all(a, !a.matches("(x|y|z)*needle[0-9]{1,20}$"))',
  'in a list': 'arguments.texts.all(a, !("needle" in arguments.texts))',
  'equal lists': 'arguments.texts.all(a, arguments.numbers == arguments.same)',
  'equal objects': 'arguments.texts.all(a, arguments.deep == arguments.deeper)',
  'times from texts': 'arguments.times.all(a, timestamp(a) > timestamp("2020-01-01T00:00:00Z"))',
};

/** Over one text or list that is as long as it may be: what is done at one go can't be stopped. */
export const largest: Readonly<Record<string, string>> = {
  'search in a text': '!arguments.text.contains("aaaaaaaaaaaaaaaaaaaaaaab")',
  'search in joined texts': '!(arguments.text + arguments.other).contains("ab")',
  'equal texts': 'arguments.text == arguments.other',
  'order of texts': '!(arguments.text < arguments.other)',
  'joined texts': 'size(arguments.text + arguments.other) > 0',
  'a pattern that backtracks elsewhere': 'arguments.text.matches("^(a+)+$")',
  'a pattern with many ways': '!arguments.text.matches("a*a*a*a*a*a*a*a*a*a*a*a*b")',
  'small letters': 'size(arguments.text.lowerAscii()) > 0',
  'in a list': '!("b" in arguments.list)',
  'all of a list': 'arguments.list.all(each, each != "b")',
  'a mapped list': 'arguments.list.map(each, each + "a").size() >= 0',
};

export const compile = (text: string): Expression => compileExpression(text, scope, 'bool');

/** Whether it has an answer; if not, it was stopped or could not be evaluated. */
export function isThrough(expression: Expression, values: Values): boolean {
  try {
    expression.evaluate(values);
    return true;
  } catch (error) {
    if (error instanceof ExpressionFailure) return false;
    throw error;
  }
}

const lengthMax = 2 ** 20;

/** The longest text and list with which it still gets through. */
export function largestValues(expression: Expression): Values {
  let [longest, tooLong] = [0, lengthMax];
  while (tooLong - longest > 1) {
    const middle = Math.floor((longest + tooLong) / 2);
    if (isThrough(expression, valuesOfLength(middle))) longest = middle;
    else tooLong = middle;
  }
  return valuesOfLength(longest);
}

function valuesOfLength(length: number): Values {
  // Two texts of their own: one that is compared with itself takes no time at all.
  const text = (): string => Buffer.alloc(length, 'a').toString();
  const list = Array.from({ length: Math.min(length, lengthMax / 16) }, () => 'a');
  return { arguments: { text: text(), other: text(), list } };
}

export function endlessValues(): Values {
  const numbers = Array.from({ length: 5_000 }, (_, index) => index);
  const nest = (depth: number, end: Json): Json =>
    depth === 0 ? end : { left: nest(depth - 1, end), right: nest(depth - 1, end) };
  return {
    arguments: {
      numbers,
      same: [...numbers],
      texts: numbers.map((index) => `${'a'.repeat(200)}${index}`),
      deep: nest(12, 1),
      deeper: nest(12, 1),
      times: numbers.map(() => '2026-11-15T06:00:00.123456789+02:00'),
    },
  };
}
