import { arithmetic, negate, type Sign } from './arithmetic.ts';
import { type OrderOperator, order } from './compare.ts';
import { isIn, sizeOf } from './containers.ts';
import { conversions, convert, forget } from './conversions.ts';
import { equality } from './equality.ts';
import { ExpressionMistake } from './expression.ts';
import { and, choose, not, or } from './logic.ts';
import type { Node, SourcePosition } from './node.ts';
import { index } from './read.ts';
import { suggest } from './suggest.ts';
import type { CallSyntax } from './syntax.ts';
import {
  contains,
  endsWith,
  lowerAscii,
  matches,
  normalPathOf,
  startsWith,
  within,
} from './texts.ts';
import { getTime, timeGetters } from './times.ts';

interface Function {
  /** The allowed numbers of operands, including the one before the dot. */
  readonly takes: readonly number[];
  readonly style: 'operator' | 'function' | 'method' | 'either';
  make(from: SourcePosition, operands: readonly Node[]): Node;
}

type UnaryFunction = [Node];
type BinaryFunction = [Node, Node];

function operator(takes: number, make: Function['make']): Function {
  return { takes: [takes], style: 'operator', make };
}

function method(takes: number, make: Function['make']): Function {
  return { takes: [takes], style: 'method', make };
}

const signs = ['+', '-', '*', '/', '%'].map((sign) => [
  `_${sign}_`,
  operator(2, (from, operands) => arithmetic(from, sign as Sign, ...(operands as BinaryFunction))),
]);

const orders = ['<', '<=', '>', '>='].map((sign) => [
  `_${sign}_`,
  operator(2, (from, operands) =>
    order(from, sign as OrderOperator, ...(operands as BinaryFunction)),
  ),
]);

const converters = Object.keys(conversions).map((name) => [
  name,
  {
    takes: [1],
    style: 'function',
    make: (from, operands) => convert(from, name, ...(operands as UnaryFunction)),
  } satisfies Function,
]);

const getters = timeGetters.map((name) => [
  name,
  {
    takes: [1, 2],
    style: 'method',
    make: (from, operands) => getTime(from, name, operands),
  } satisfies Function,
]);

const functions: Readonly<Record<string, Function>> = {
  ...Object.fromEntries([...signs, ...orders, ...converters, ...getters]),
  '_==_': operator(2, (from, operands) => equality(from, ...(operands as BinaryFunction), true)),
  '_!=_': operator(2, (from, operands) => equality(from, ...(operands as BinaryFunction), false)),
  '!_': operator(1, (from, operands) => not(from, ...(operands as UnaryFunction))),
  '-_': operator(1, (from, operands) => negate(from, ...(operands as UnaryFunction))),
  '_?_:_': operator(3, (from, operands) => choose(from, operands as [Node, Node, Node])),
  '@in': operator(2, (from, operands) => isIn(from, ...(operands as BinaryFunction))),
  '_[_]': operator(2, ({ at }, operands) => index(...(operands as BinaryFunction), at)),
  '_&&_': { takes: [], style: 'operator', make: and },
  '_||_': { takes: [], style: 'operator', make: or },
  dyn: {
    takes: [1],
    style: 'function',
    make: (from, operands) => forget(from, ...(operands as UnaryFunction)),
  },
  size: {
    takes: [1],
    style: 'either',
    make: (from, operands) => sizeOf(from, ...(operands as UnaryFunction)),
  },
  matches: {
    takes: [2],
    style: 'either',
    make: (from, operands) => matches(from, operands as BinaryFunction),
  },
  startsWith: method(2, (from, operands) => startsWith(from, operands as BinaryFunction)),
  endsWith: method(2, (from, operands) => endsWith(from, operands as BinaryFunction)),
  contains: method(2, (from, operands) => contains(from, operands as BinaryFunction)),
  lowerAscii: method(1, (from, operands) => lowerAscii(from, operands as UnaryFunction)),
  normalPath: method(1, (from, operands) => normalPathOf(from, operands as UnaryFunction)),
  within: method(2, (from, operands) => within(from, operands as BinaryFunction)),
};

const macroNames = ['all', 'exists', 'exists_one', 'filter', 'map', 'has'];

export function callFunction({ name, at, isMethod }: CallSyntax, operands: readonly Node[]): Node {
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (!found) throw unknown(name, at);
  if (found.style === 'method' && !isMethod) {
    throw new ExpressionMistake(`${name}() stands behind a value and a dot`, at);
  }
  if (found.style === 'function' && isMethod) {
    throw new ExpressionMistake(`${name}() takes its value in its brackets`, at);
  }
  if (found.takes.length > 0 && !found.takes.includes(operands.length)) {
    throw new ExpressionMistake(`${name}() has too many or too few operands`, at);
  }
  return found.make({ at, source: sourceOf(name, operands) }, operands);
}

function unknown(name: string, at: number): ExpressionMistake {
  if (macroNames.includes(name)) {
    return new ExpressionMistake(`${name}() is not used like this: list.${name}(x, …)`, at);
  }
  const known = Object.keys(functions).filter((candidate) => /^[a-z]/.test(candidate));
  return new ExpressionMistake(
    `there is no function ${name}()${suggest(name, [...known, ...macroNames])}`,
    at,
  );
}

/** The text of a part in messages: `a + b`, `size(a)`. */
function sourceOf(name: string, operands: readonly Node[]): string {
  const written = write(
    name,
    operands.map(({ source }) => source),
  );
  return written.length > 60 ? `${written.slice(0, 57)}…` : written;
}

function write(name: string, sources: readonly string[]): string {
  const [one, other, third] = sources;
  if (/^[a-z]/i.test(name)) return `${name}(${sources.join(', ')})`;
  if (name === '_?_:_') return `${one} ? ${other} : ${third}`;
  if (sources.length === 1) return `${name.replace('_', '')}${one}`;
  return sources.join(` ${name.replace(/[@_]/g, '')} `);
}
