import { RE2JS } from 're2js';
import { gateLimits } from '../limits.ts';
import { ExpressionMistake } from './expression.ts';
import {
  type Evaluate,
  fail,
  failed,
  makeNode,
  type Node,
  type SourcePosition,
  spend,
  stepsOfText,
} from './node.ts';
import { isWithin, normalPath } from './path-within.ts';
import { anyText, bool, text, textLength } from './shape.ts';
import { narrow } from './take.ts';

type Test = (one: string, other: string) => boolean;

export const startsWith = (from: SourcePosition, [one, other]: [Node, Node]): Node =>
  compareEnds(from, [one, other], (whole, part) => whole.startsWith(part));

export const endsWith = (from: SourcePosition, [one, other]: [Node, Node]): Node =>
  compareEnds(from, [one, other], (whole, part) => whole.endsWith(part));

/** Costs steps by the length of the shorter text. */
function compareEnds(from: SourcePosition, [left, right]: [Node, Node], test: Test): Node {
  const [one, other] = [narrowText(left, from), narrowText(right, from)];
  const stepsBySize = stepsOfText(Math.min(textLength(one.shape), textLength(other.shape)));
  const run: Evaluate = (frame) => {
    const whole = one.run(frame);
    const part = whole === failed ? failed : other.run(frame);
    if (whole === failed || part === failed) return failed;
    const length = Math.min((whole as string).length, (part as string).length);
    spend(frame, stepsOfText(length));
    return test(whole as string, part as string);
  };
  return makeNode(from, bool, [one, other], run, { stepsBySize });
}

export function contains(from: SourcePosition, [left, right]: [Node, Node]): Node {
  const [one, other] = [narrowText(left, from), narrowText(right, from)];
  const stepsBySize = stepsOfSearch(textLength(one.shape), textLength(other.shape));
  const run: Evaluate = (frame) => {
    const whole = one.run(frame);
    const part = whole === failed ? failed : other.run(frame);
    if (whole === failed || part === failed) return failed;
    spend(frame, stepsOfSearch((whole as string).length, (part as string).length));
    return (whole as string).includes(part as string);
  };
  return makeNode(from, bool, [one, other], run, { stepsBySize });
}

/** The native search compares at every position, at worst the whole part. */
function stepsOfSearch(whole: number, part: number): number {
  return part === 0 ? 0 : stepsOfText(whole * Math.min(part, whole, 64));
}

export function lowerAscii(from: SourcePosition, [operand]: [Node]): Node {
  const one = narrowText(operand, from);
  const length = textLength(one.shape);
  const shape = length === Infinity ? text() : text(length);
  const run: Evaluate = (frame) => {
    const value = one.run(frame);
    if (value === failed) return failed;
    spend(frame, stepsOfLower((value as string).length));
    return lowered(value as string);
  };
  return makeNode(from, shape, [one], run, { stepsBySize: stepsOfLower(length) });
}

/** Leaves other alphabets unchanged. */
function lowered(value: string): string {
  if (!/[^\0-\x7f]/.test(value)) return value.toLowerCase();
  return value.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function stepsOfLower(length: number): number {
  return length;
}

/** RE2 takes linear time, so that the steps of a match are known at load. */
export function matches(from: SourcePosition, [operand, pattern]: [Node, Node]): Node {
  const one = narrowText(operand, from);
  const { compiled, instructions } = compilePattern(pattern);
  const length = boundedText(one);
  const run: Evaluate = (frame) => {
    const value = one.run(frame);
    if (value === failed) return failed;
    spend(frame, stepsOfMatch((value as string).length, instructions));
    return compiled.test(value as string);
  };
  return makeNode(from, bool, [one], run, { stepsBySize: stepsOfMatch(length, instructions) });
}

function stepsOfMatch(length: number, instructions: number): number {
  return Math.ceil(((length + 1) * instructions) / 4);
}

function compilePattern({ constant, at }: Node): { compiled: RE2JS; instructions: number } {
  if (typeof constant !== 'string') {
    throw new ExpressionMistake('a pattern is a literal text, so that it is checked now', at);
  }
  warmEngine();
  const compiled = tryCompile(constant, at);
  const instructions = compiled.programSize();
  if (instructions > gateLimits.expressionPatternInstructionsMax) {
    throw new ExpressionMistake(
      `the pattern is too large: it has ${instructions} instructions, and ${gateLimits.expressionPatternInstructionsMax} are allowed`,
      at,
    );
  }
  // The first run builds tables, which should not delay the first caller.
  compiled.test(constant);
  return { compiled, instructions };
}

let isWarm = false;

/** The first matches of a process are slow until the engine is compiled, so they happen at load. */
function warmEngine(): void {
  if (isWarm) return;
  isWarm = true;
  for (const pattern of ['(a+)+$', '(a|b)*c{2,5}[x-z]?', '^[a-z]{2,10}$', '(a?){9}a{9}']) {
    const compiled = RE2JS.compile(pattern);
    for (let round = 1; round <= 16; round += 1) compiled.test('ab1cxyz a!'.repeat(round));
  }
}

function tryCompile(pattern: string, at: number): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new ExpressionMistake(`this is no pattern of RE2: ${(error as Error).message}`, at);
  }
}

function boundedText({ shape, source, at }: Node): number {
  const length = shape.kind === 'string' ? shape.lengthMax : Infinity;
  if (length !== undefined) return length;
  throw new ExpressionMistake(
    `${source} can be of any length: give it maxLength in its schema, or it is not matched`,
    at,
  );
}

/** Compares names only and does not follow links of the file system. */
export function within(from: SourcePosition, [left, right]: [Node, Node]): Node {
  const [path, directory] = [narrowText(left, from), narrowText(right, from)];
  if (typeof directory.constant === 'string' && normalPath(directory.constant) === undefined) {
    throw new ExpressionMistake('a directory is an absolute path with forward slashes', right.at);
  }
  const reason = `${path.source} is not an absolute path with forward slashes`;
  const stepsBySize = stepsOfPath(textLength(path.shape) + textLength(directory.shape));
  const run: Evaluate = (frame) => {
    const inner = path.run(frame);
    const outer = inner === failed ? failed : directory.run(frame);
    if (inner === failed || outer === failed) return failed;
    spend(frame, stepsOfPath((inner as string).length + (outer as string).length));
    return isWithin(inner as string, outer as string) ?? fail(frame, reason);
  };
  return makeNode(from, bool, [path, directory], run, { stepsBySize });
}

/**
 * The same text for every spelling of an absolute path, as `within` compares it. Other texts stay
 * as they are: it names a lock or a resource, and a rule with `within` refuses them.
 */
export function normalPathOf(from: SourcePosition, [operand]: [Node]): Node {
  const path = narrowText(operand, from);
  const length = textLength(path.shape);
  const run: Evaluate = (frame) => {
    const value = path.run(frame);
    if (value === failed) return failed;
    spend(frame, stepsOfPath((value as string).length));
    return normalPath(value as string) ?? (value as string);
  };
  const shape = length === Infinity ? text() : text(length);
  return makeNode(from, shape, [path], run, { stepsBySize: stepsOfPath(length) });
}

function stepsOfPath(length: number): number {
  return 4 + length;
}

function narrowText(node: Node, { source }: SourcePosition): Node {
  return narrow(node, anyText, source);
}
