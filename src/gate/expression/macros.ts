import type { Json } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';
import { boundedLength, fieldNames } from './containers.ts';
import { ExpressionMistake } from './expression.ts';
import {
  type Evaluate,
  type EvaluationFrame,
  failed,
  makeNode,
  type Node,
  type SourcePosition,
  spend,
} from './node.ts';
import { anyList, bool, type ListShape, listOf, text, type ValueShape } from './shape.ts';
import { nameOf, narrow } from './take.ts';

/** The list that a macro iterates over. An object gives its keys. */
export function rangeOf(node: Node, macro: string): Node {
  const { kind } = node.shape;
  if (kind === 'list') return node;
  if (kind === 'any') return narrow(node, anyList, macro);
  if (kind === 'object') return keysOf(node);
  throw new ExpressionMistake(
    `${macro} needs a list, but ${node.source} is ${nameOf(kind)}`,
    node.at,
  );
}

function keysOf(node: Node): Node {
  const names = fieldNames(node);
  const shape = listOf(text(Math.max(0, ...names.map(({ length }) => length))), names.length);
  const steps = { steps: names.length };
  const run: Evaluate = (frame) => {
    const object = node.run(frame);
    if (object === failed) return failed;
    return names.filter((name) => Object.hasOwn(object as object, name));
  };
  return makeNode(node, shape, [node], run, steps);
}

export function itemShape(range: Node): ValueShape {
  return (range.shape as ListShape).items;
}

interface Parts {
  readonly name: string;
  readonly range: Node;
  readonly slot: number;
  readonly when?: Node | undefined;
  readonly body: Node;
}

export function makeMacro(from: SourcePosition, parts: Parts): Node {
  const { name, range, slot } = parts;
  const when = parts.when && narrow(parts.when, bool, name);
  const body = name === 'map' ? parts.body : narrow(parts.body, bool, name);
  const inner = when ? [when, body] : [body];
  const steps = inner.reduce((sum, part) => sum + part.steps, 1);
  const walk: Walk = { items: range.run, slot, steps, body: body.run, when: when?.run };
  const length = boundedLength(range);
  const node = makeNode(
    from,
    shapeOfMacro(name, range, body),
    [range],
    macros[name]?.(walk) as Evaluate,
  );
  return bounded(node, length, inner, steps);
}

function shapeOfMacro(name: string, range: Node, body: Node): ValueShape {
  if (name !== 'map' && name !== 'filter') return bool;
  const { items, lengthMax } = range.shape as ListShape;
  return listOf(name === 'map' ? body.shape : items, lengthMax);
}

/** The cost of running the body for each item, charged item by item. */
function bounded(node: Node, length: number, inner: readonly Node[], steps: number): Node {
  const perItem = inner.reduce((sum, part) => sum + part.stepsMax, 1);
  const isOpen = node.isOpen || length === Infinity || inner.some((part) => part.isOpen);
  const times = length === Infinity ? 1 : length;
  const stepsMax = node.stepsMax + times * Math.max(perItem, steps);
  if (stepsMax <= gateLimits.expressionStepsMax) return { ...node, stepsMax, isOpen };
  throw new ExpressionMistake(
    `${node.source} may take ${stepsMax} steps, more than ${gateLimits.expressionStepsMax}: give its lists a smaller maxItems, or nest fewer of them`,
    node.at,
  );
}

interface Walk {
  readonly items: Evaluate;
  readonly slot: number;
  /** The steps of one item. */
  readonly steps: number;
  readonly when: Evaluate | undefined;
  readonly body: Evaluate;
}

const macros: Readonly<Record<string, (walk: Walk) => Evaluate>> = {
  all: (walk) => quantifier(walk, false),
  exists: (walk) => quantifier(walk, true),
  exists_one: one,
  filter,
  map,
};

/** Like && and || over all items: a deciding item decides even if others fail. */
function quantifier({ items, slot, steps, body }: Walk, decides: boolean): Evaluate {
  return (frame) => {
    const list = items(frame);
    if (list === failed) return failed;
    let reason: string | undefined;
    for (const item of list as readonly Json[]) {
      spend(frame, steps);
      frame.locals[slot] = item;
      const value = body(frame);
      if (value === decides) return decides;
      if (value === failed) reason ??= frame.reason;
    }
    if (reason === undefined) return !decides;
    frame.reason = reason;
    return failed;
  };
}

function one({ items, slot, steps, body }: Walk): Evaluate {
  return (frame) => {
    const list = items(frame);
    if (list === failed) return failed;
    let found = 0;
    for (const item of list as readonly Json[]) {
      spend(frame, steps);
      frame.locals[slot] = item;
      const value = body(frame);
      if (value === failed) return failed;
      if (value) found += 1;
    }
    return found === 1;
  };
}

function filter({ items, slot, steps, body }: Walk): Evaluate {
  return (frame) => {
    const list = items(frame);
    if (list === failed) return failed;
    const kept: Json[] = [];
    for (const item of list as readonly Json[]) {
      spend(frame, steps);
      frame.locals[slot] = item;
      const value = body(frame);
      if (value === failed) return failed;
      if (value) kept.push(item);
    }
    return kept;
  };
}

function map({ items, slot, steps, body, when }: Walk): Evaluate {
  return (frame) => {
    const list = items(frame);
    if (list === failed) return failed;
    const made: Json[] = [];
    for (const item of list as readonly Json[]) {
      spend(frame, steps);
      frame.locals[slot] = item;
      const isWanted = isChosen(when, frame);
      if (isWanted === failed) return failed;
      const value = isWanted ? body(frame) : undefined;
      if (value === failed) return failed;
      if (value !== undefined) made.push(value);
    }
    return made;
  };
}

function isChosen(when: Evaluate | undefined, frame: EvaluationFrame): boolean | typeof failed {
  if (!when) return true;
  const value = when(frame);
  return value === failed ? failed : value === true;
}
