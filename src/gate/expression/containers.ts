import type { Json } from '../../kernel/index.ts';
import { costOfEqual, equalOf } from './equality.ts';
import { ExpressionMistake } from './expression.ts';
import {
  constantNode,
  type Evaluate,
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
  any,
  anyText,
  bool,
  holdsTime,
  int,
  isPlainObject,
  joinShapes,
  listOf,
  type ValueShape,
} from './shape.ts';
import { nameOf, narrow } from './take.ts';

export function makeList(from: SourcePosition, items: readonly Node[]): Node {
  const shape = listOf(shapeOfItems(items), items.length);
  const constants = items.map(({ constant }) => constant);
  if (constants.every((constant) => constant !== undefined)) {
    return constantNode(from, shape, constants as Json[]);
  }
  const runs = items.map(({ run }) => run);
  return makeNode(from, shape, items, (frame) => {
    const made: Json[] = [];
    for (let at = 0; at < runs.length; at += 1) {
      const value = (runs[at] as Evaluate)(frame);
      if (value === failed) return failed;
      made.push(value);
    }
    return made;
  });
}

function shapeOfItems(items: readonly Node[]): ValueShape {
  return items.reduce<ValueShape>((sum, { shape, at }, index) => {
    if (index === 0) return shape;
    const joined = joinShapes(sum, shape);
    if (joined) return joined;
    throw new ExpressionMistake('times do not stand in a list with other values', at);
  }, any);
}

export function makeMap(from: SourcePosition, entries: readonly (readonly [Node, Node])[]): Node {
  const keys = entries.map(([key]) => constantKey(key));
  const twice = keys.findIndex((key, index) => keys.indexOf(key) !== index);
  if (twice >= 0) {
    throw new ExpressionMistake(
      `the key "${keys[twice]}" is there twice`,
      entries[twice]?.[0].at ?? 0,
    );
  }
  const values = entries.map(([, value]) => value);
  const fields = Object.fromEntries(keys.map((key, index) => [key, (values[index] as Node).shape]));
  return makeNode(from, { kind: 'object', fields, required: keys }, values, (frame) => {
    // Without a prototype, because the key __proto__ would set it.
    const made: Record<string, Json> = Object.create(null);
    for (let at = 0; at < keys.length; at += 1) {
      const value = (values[at] as Node).run(frame);
      if (value === failed) return failed;
      made[keys[at] as string] = value;
    }
    return made;
  });
}

function constantKey({ constant, at }: Node): string {
  if (typeof constant === 'string') return constant;
  throw new ExpressionMistake('the keys of an object are literal texts, as in JSON', at);
}

export function isIn(from: SourcePosition, item: Node, holder: Node): Node {
  if (holder.shape.kind === 'object') return isKey(from, item, holder);
  if (holder.shape.kind === 'list') return isItem(from, item, holder);
  if (holder.shape.kind === 'any') return isInAny(from, item, holder);
  throw new ExpressionMistake(
    `in needs a list or an object, but ${holder.source} is ${nameOf(holder.shape.kind)}`,
    from.at,
  );
}

function isKey(from: SourcePosition, item: Node, holder: Node): Node {
  const key = narrow(item, anyText, 'a key');
  return makeNode(from, bool, [key, holder], (frame) => {
    const name = key.run(frame);
    const object = name === failed ? failed : holder.run(frame);
    if (object === failed) return failed;
    return Object.hasOwn(object as object, name as string);
  });
}

function isItem(from: SourcePosition, item: Node, holder: Node): Node {
  const shape = holder.shape as Extract<ValueShape, { kind: 'list' }>;
  if (holdsTime(shape)) {
    throw new ExpressionMistake('times in a list are compared one by one: write exists()', from.at);
  }
  const itemNode = { ...holder, shape: shape.items, source: `an item of ${holder.source}` };
  const equal = equalOf(item, itemNode, from.at);
  if (holder.constant !== undefined && isScalar(shape.items)) {
    return isAmong(from, item, holder.constant as readonly Json[]);
  }
  const { stepsBySize = 0 } = costOfEqual(item.shape, shape.items);
  const length = boundedLength(holder);
  const cost = { stepsBySize: length === 0 ? 0 : length * (1 + stepsBySize) };
  return makeNode(from, bool, [item, holder], searchRun(item, holder, equal), cost);
}

function isScalar({ kind }: ValueShape): boolean {
  return kind !== 'any' && kind !== 'list' && kind !== 'object';
}

/** A literal list becomes a set, once. */
function isAmong(from: SourcePosition, item: Node, items: readonly Json[]): Node {
  const set = new Set<unknown>(items);
  const { run } = item;
  return makeNode(from, bool, [item], (frame) => {
    const value = run(frame);
    return value === failed ? failed : set.has(value);
  });
}

function searchRun(item: Node, holder: Node, equal: ReturnType<typeof equalOf>): Evaluate {
  return (frame) => {
    const value = item.run(frame);
    const items = value === failed ? failed : holder.run(frame);
    if (value === failed || items === failed) return failed;
    return search(value, items as readonly Json[], { frame, equal });
  };
}

/** An equal item is found even if comparing another item fails. */
function search(
  value: Json,
  items: readonly Json[],
  { frame, equal }: { readonly frame: EvaluationFrame; readonly equal: ReturnType<typeof equalOf> },
): boolean | typeof failed {
  let answer: boolean | typeof failed = false;
  for (let at = 0; at < items.length; at += 1) {
    spend(frame, 1);
    const here = equal(value, items[at] as Json, frame);
    if (here === true) return true;
    if (here === failed) answer = failed;
  }
  return answer;
}

function isInAny(from: SourcePosition, item: Node, holder: Node): Node {
  const equal = equalOf(item, { ...holder, shape: any }, from.at);
  const reason = `${holder.source} is neither a list nor an object`;
  const run: Evaluate = (frame) => {
    const value = item.run(frame);
    const found = value === failed ? failed : holder.run(frame);
    if (value === failed || found === failed) return failed;
    if (Array.isArray(found)) return search(value, found, { frame, equal });
    if (isPlainObject(found) && typeof value === 'string') return Object.hasOwn(found, value);
    return fail(frame, reason);
  };
  return makeNode(from, bool, [item, holder], run, { stepsBySize: Infinity });
}

/** The largest length of a list to iterate over, which a schema must bound. */
export function boundedLength({ shape, source, at }: Node): number {
  const length = shape.kind === 'list' ? shape.lengthMax : Infinity;
  if (length !== undefined) return length;
  throw new ExpressionMistake(
    `${source} can have any number of items: give it maxItems in its schema`,
    at,
  );
}

export function sizeOf(from: SourcePosition, holder: Node): Node {
  if (holder.shape.kind === 'list') {
    return makeNode(from, int, [holder], (frame) => {
      const items = holder.run(frame);
      return items === failed ? failed : (items as readonly Json[]).length;
    });
  }
  if (holder.shape.kind === 'object' && !holder.shape.open) return sizeOfObject(from, holder);
  if (holder.shape.kind === 'string' || holder.shape.kind === 'any')
    return sizeOfText(from, holder);
  throw new ExpressionMistake(
    `size() does not take ${nameOf(holder.shape.kind)}${holder.shape.kind === 'object' ? ' with unknown keys' : ''}`,
    from.at,
  );
}

function sizeOfObject(from: SourcePosition, holder: Node): Node {
  const names = Object.keys((holder.shape as Extract<ValueShape, { kind: 'object' }>).fields);
  return makeNode(
    from,
    int,
    [holder],
    (frame) => {
      const object = holder.run(frame);
      if (object === failed) return failed;
      return names.reduce((sum, name) => sum + Number(Object.hasOwn(object as object, name)), 0);
    },
    { steps: 1 + names.length },
  );
}

function sizeOfText(from: SourcePosition, holder: Node): Node {
  const length = holder.shape.kind === 'string' ? holder.shape.lengthMax : undefined;
  const reason = `${holder.source} is neither a text nor a list`;
  const run: Evaluate = (frame) => {
    const value = holder.run(frame);
    if (value === failed) return failed;
    if (typeof value === 'string') return countPoints(value, frame);
    return Array.isArray(value) ? value.length : fail(frame, reason);
  };
  return makeNode(from, int, [holder], run, { stepsBySize: stepsOfCount(length ?? Infinity) });
}

const surrogate = /[\uD800-\uDFFF]/;

/** The number of code points; a lone surrogate counts as one. */
function countPoints(value: string, frame: EvaluationFrame): number {
  spend(frame, stepsOfText(value.length));
  if (!surrogate.test(value)) return value.length;
  spend(frame, stepsOfCount(value.length) - stepsOfText(value.length));
  let count = 0;
  for (let at = 0; at < value.length; at += (value.codePointAt(at) as number) > 0xffff ? 2 : 1) {
    count += 1;
  }
  return count;
}

/** One by one, which is slower than native code. */
function stepsOfCount(length: number): number {
  return Math.ceil(length / 4);
}

/** The keys for a macro over an object: the fields of its shape. */
export function fieldNames({ shape, source, at }: Node): readonly string[] {
  if (shape.kind === 'object' && !shape.open) return Object.keys(shape.fields);
  throw new ExpressionMistake(`the keys of ${source} are not known: only lists are walked`, at);
}
