import type { Json } from '../../kernel/index.ts';
import { ExpressionMistake } from './expression.ts';
import {
  type EvaluationFrame,
  failed,
  makeNode,
  type Node,
  type SourcePosition,
  spend,
  stepsOfText,
} from './node.ts';
import { anyList, anyText, joinShapes, type ListShape, listOf, text, textLength } from './shape.ts';
import { narrow } from './take.ts';

/**
 * Counts the memory of a concatenation as steps, because repeated concatenation doubles quickly.
 */
export function joinedText(one: string, other: string, frame: EvaluationFrame): string {
  spend(frame, stepsOfText(one.length + other.length));
  return one + other;
}

export function joinedList(
  one: readonly Json[],
  other: readonly Json[],
  frame: EvaluationFrame,
): readonly Json[] {
  spend(frame, stepsOfCopy(one.length + other.length));
  return one.concat(other);
}

function stepsOfCopy(items: number): number {
  return Math.ceil(items / 8);
}

export function joinTexts(from: SourcePosition, left: Node, right: Node): Node {
  const one = narrow(left, anyText, '+');
  const other = narrow(right, anyText, '+');
  const length = textLength(one.shape) + textLength(other.shape);
  const run: Node['run'] = (frame) => {
    const first = one.run(frame);
    const second = first === failed ? failed : other.run(frame);
    if (first === failed || second === failed) return failed;
    return joinedText(first as string, second as string, frame);
  };
  const stepsBySize = stepsOfText(length);
  return makeNode(from, text(length), [one, other], run, { stepsBySize });
}

export function joinLists(from: SourcePosition, left: Node, right: Node): Node {
  const one = narrow(left, anyList, '+');
  const other = narrow(right, anyList, '+');
  const shape = shapeOfJoined(one.shape as ListShape, other.shape as ListShape, from.at);
  const run: Node['run'] = (frame) => {
    const first = one.run(frame);
    const second = first === failed ? failed : other.run(frame);
    if (first === failed || second === failed) return failed;
    return joinedList(first as readonly Json[], second as readonly Json[], frame);
  };
  const stepsBySize = stepsOfCopy(shape.lengthMax ?? Infinity);
  return makeNode(from, shape, [one, other], run, { stepsBySize });
}

function shapeOfJoined(one: ListShape, other: ListShape, at: number): ListShape {
  const joined = joinShapes(one, other);
  if (joined?.kind !== 'list') {
    throw new ExpressionMistake('+ does not join times with other values', at);
  }
  // If one length is unbounded, so is the sum, and a loop over it is refused.
  if (one.lengthMax === undefined || other.lengthMax === undefined) return listOf(joined.items);
  return listOf(joined.items, one.lengthMax + other.lengthMax);
}
