import type { Json } from '../../kernel/index.ts';
import { ExpressionMistake } from './expression.ts';
import {
  type Cost,
  charsPerStep,
  type EvaluationFrame,
  fail,
  failed,
  makeNode,
  type Node,
  type SourcePosition,
  spend,
  stepsOfText,
} from './node.ts';
import {
  bool,
  comparable,
  fieldShape,
  holdsTime,
  isPlainObject,
  type ValueShape,
} from './shape.ts';
import { nameOf } from './take.ts';

export type Equal = (one: Json, other: Json, frame: EvaluationFrame) => boolean | typeof failed;

export function equality(from: SourcePosition, left: Node, right: Node, isEqual: boolean): Node {
  const equal = equalOf(left, right, from.at);
  const cost = costOfEqual(left.shape, right.shape);
  const [one, other] = [left.run, right.run];
  if (equal === same) return makeNode(from, bool, [left, right], sameRun(left, right, isEqual));
  return makeNode(
    from,
    bool,
    [left, right],
    (frame) => {
      const first = one(frame);
      const second = first === failed ? failed : other(frame);
      if (first === failed || second === failed) return failed;
      const answer = equal(first, second, frame);
      return answer === failed ? failed : answer === isEqual;
    },
    cost,
  );
}

function sameRun(left: Node, right: Node, isEqual: boolean): Node['run'] {
  const { run } = left;
  const { constant } = right;
  if (constant !== undefined) {
    return (frame) => {
      const value = run(frame);
      return value === failed ? failed : (value === constant) === isEqual;
    };
  }
  const other = right.run;
  return (frame) => {
    const first = run(frame);
    const second = first === failed ? failed : other(frame);
    if (second === failed) return failed;
    return (first === second) === isEqual;
  };
}

/** The comparison of values of these two shapes. */
export function equalOf(left: Node, right: Node, at: number): Equal {
  const [one, other] = [left.shape, right.shape];
  if (!comparable(one, other)) {
    throw new ExpressionMistake(
      `${left.source} is ${nameOf(one.kind)} and ${right.source} is ${nameOf(other.kind)}: they are never equal${nullHint(left, right)}`,
      at,
    );
  }
  if ((one.kind === 'list' || one.kind === 'object') && (holdsTime(one) || holdsTime(other))) {
    throw new ExpressionMistake('times inside of lists and objects are compared one by one', at);
  }
  return equalShapes(one, other);
}

function nullHint(left: Node, right: Node): string {
  const [one, other] = right.shape.kind === 'null' ? [left, right] : [right, left];
  return other.shape.kind === 'null' ? `; write has(${one.source}) to ask for a field` : '';
}

export const same: Equal = (one, other) => one === other;

/** Compares long texts; a short one takes less than a step. */
const sameText: Equal = (one, other, frame) => {
  spend(frame, stepsOfText(lengthOfText(one, other)));
  return one === other;
};

function lengthOfText(one: Json, other: Json): number {
  return typeof one === 'string' && typeof other === 'string' && one.length === other.length
    ? one.length
    : 0;
}

function equalShapes(one: ValueShape, other: ValueShape): Equal {
  if (one.kind === 'list' && other.kind === 'list') {
    return equalLists(equalShapes(one.items, other.items));
  }
  if (one.kind === 'object' && other.kind === 'object') return equalObjects(one, other);
  if (isShort(one) || isShort(other)) return same;
  return one.kind === 'any' || other.kind === 'any' ? equalAny : sameText;
}

function isShort(shape: ValueShape): boolean {
  if (shape.kind === 'string') return (shape.lengthMax ?? Infinity) <= charsPerStep;
  return shape.kind !== 'any' && shape.kind !== 'list' && shape.kind !== 'object';
}

function equalLists(equal: Equal): Equal {
  return (one, other, frame) => {
    const [a, b] = [one as readonly Json[], other as readonly Json[]];
    if (a.length !== b.length) return false;
    for (let at = 0; at < a.length; at += 1) {
      spend(frame, 1);
      const answer = equal(a[at] as Json, b[at] as Json, frame);
      if (answer !== true) return answer;
    }
    return true;
  };
}

/**
 * By the fields that the shapes name. How many others an object has can only be found out by
 * listing them all, which no counter could stop.
 */
function equalObjects(
  one: Extract<ValueShape, { kind: 'object' }>,
  other: Extract<ValueShape, { kind: 'object' }>,
): Equal {
  if (one.open || other.open) return equalAny;
  const names = [...new Set([...Object.keys(one.fields), ...Object.keys(other.fields)])];
  const fields = names.map((name) => ({ name, equal: equalField(one, other, name) }));
  return (a, b, frame) => {
    for (const { name, equal } of fields) {
      const has = Object.hasOwn(a as object, name);
      if (has !== Object.hasOwn(b as object, name)) return false;
      if (!has) continue;
      spend(frame, 1);
      const [first, second] = [a as Record<string, Json>, b as Record<string, Json>];
      const answer = equal(first[name] as Json, second[name] as Json, frame);
      if (answer !== true) return answer;
    }
    return true;
  };
}

function equalField(
  one: Extract<ValueShape, { kind: 'object' }>,
  other: Extract<ValueShape, { kind: 'object' }>,
  name: string,
): Equal {
  const [here, there] = [fieldShape(one, name), fieldShape(other, name)];
  return here && there ? equalShapes(here, there) : equalAny;
}

const equalAny: Equal = (one, other, frame) => {
  if (typeof one !== 'object' || typeof other !== 'object') return sameText(one, other, frame);
  if (one === null || other === null) return one === other;
  if (Array.isArray(one) && Array.isArray(other)) {
    // So many that the counter ends before the stack does, however deep the lists are nested.
    spend(frame, 8);
    return anyLists(one, other, frame);
  }
  if (!isPlainObject(one) || !isPlainObject(other)) return false;
  return fail(frame, 'objects of unknown shape are not compared: compare their fields');
};

const anyLists = equalLists((one, other, frame) => equalAny(one, other, frame));

/** The cost of a comparison besides one step. Infinite if only the step counter bounds it. */
export function costOfEqual(one: ValueShape, other: ValueShape): Cost {
  return { stepsBySize: stepsOfEqual(one, other) };
}

function stepsOfEqual(one: ValueShape, other: ValueShape): number {
  if (isShort(one) || isShort(other)) return 0;
  if (one.kind === 'list' && other.kind === 'list') {
    const length = Math.min(one.lengthMax ?? Infinity, other.lengthMax ?? Infinity);
    return length === 0 ? 0 : length * (1 + stepsOfEqual(one.items, other.items));
  }
  if (one.kind === 'object' && other.kind === 'object') return stepsOfObjects(one, other);
  if (one.kind === 'string' && other.kind === 'string') {
    return stepsOfText(Math.min(one.lengthMax ?? Infinity, other.lengthMax ?? Infinity));
  }
  return Number.POSITIVE_INFINITY;
}

function stepsOfObjects(
  one: Extract<ValueShape, { kind: 'object' }>,
  other: Extract<ValueShape, { kind: 'object' }>,
): number {
  if (one.open || other.open) return Number.POSITIVE_INFINITY;
  return Object.entries(one.fields).reduce((sum, [name, shape]) => {
    const there = fieldShape(other, name);
    return sum + 1 + (there ? stepsOfEqual(shape, there) : 0);
  }, 0);
}
