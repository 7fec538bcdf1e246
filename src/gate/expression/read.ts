import type { Json } from '../../kernel/index.ts';
import { ExpressionMistake, type Values } from './expression.ts';
import { type Evaluate, fail, failed, makeNode, type Node } from './node.ts';
import {
  any,
  anyList,
  anyObject,
  anyText,
  bool,
  fieldShape,
  int,
  isPlainObject,
  joinShapes,
  type ValueShape,
} from './shape.ts';
import { suggest } from './suggest.ts';
import { nameOf, narrow, takes } from './take.ts';

/** A variable of a macro, and its index in the frame. */
export interface Local {
  readonly name: string;
  readonly shape: ValueShape;
  readonly slot: number;
}

export interface NameScope {
  readonly scope: Readonly<Record<string, ValueShape>>;
  /** The innermost one is last. */
  readonly locals: readonly Local[];
}

export function readName(name: string, at: number, { scope, locals }: NameScope): Node {
  const local = locals.findLast((candidate) => candidate.name === name);
  if (local) return readLocal(local, at);
  if (!Object.hasOwn(scope, name)) {
    const known = [...Object.keys(scope), ...locals.map((candidate) => candidate.name)];
    throw new ExpressionMistake(`there is no variable "${name}"${suggest(name, known)}`, at);
  }
  const shape = scope[name] as ValueShape;
  const take = takes[shape.kind];
  const missing = `${name} is not there`;
  const wrong = `${name} is not ${nameOf(shape.kind)}`;
  const read = variableReads[name] ?? ownRead(name);
  const run: Evaluate = (frame) => {
    const value = read(frame.values);
    if (value === undefined) return fail(frame, missing);
    const taken = take(value);
    return taken === undefined ? fail(frame, wrong) : taken;
  };
  return { ...makeNode({ at, source: name }, shape, [], run), path: name };
}

type Read = (values: Values) => Json | undefined;

/** Reading a property by a literal name is several times as fast as by a computed one. */
const variableReads: Readonly<Record<string, Read>> = Object.assign(Object.create(null), {
  arguments: (values: Values) => values.arguments,
  reads: (values: Values) => values.reads,
  result: (values: Values) => values.result,
  trajectory: (values: Values) => values.trajectory,
  seen: (values: Values) => values.seen,
  begun: (values: Values) => values.begun,
  task: (values: Values) => values.task,
  agent: (values: Values) => values.agent,
  vars: (values: Values) => values.vars,
});

/** Reads only own properties. A name that no object inherits needs no check. */
function ownRead(
  name: string,
): (object: Readonly<Record<string, Json | undefined>>) => Json | undefined {
  if (!(name in Object.prototype)) return (object) => object[name];
  return (object) => (Object.hasOwn(object, name) ? object[name] : undefined);
}

function readLocal({ name, shape, slot }: Local, at: number): Node {
  const take = takes[shape.kind];
  const wrong = `${name} is not ${nameOf(shape.kind)}`;
  return makeNode({ at, source: name }, shape, [], (frame) => {
    const taken = take(frame.locals[slot] as Json);
    return taken === undefined ? fail(frame, wrong) : taken;
  });
}

export function select(of: Node, field: string, at: number): Node {
  const shape = shapeOfField(of, field, at);
  const source = `${of.source}.${field}`;
  const path = of.path === undefined ? {} : { path: source };
  return { ...makeNode({ at, source }, shape, [of], selectRun(of, field, shape)), ...path };
}

function selectRun(of: Node, field: string, shape: ValueShape): Evaluate {
  const take = takes[shape.kind];
  const missing = `${of.source} has no field "${field}"`;
  const wrong = `${of.source}.${field} is not ${nameOf(shape.kind)}`;
  const run = objectRun(of);
  const read = ownRead(field);
  return (frame) => {
    const object = run(frame);
    if (object === failed) return failed;
    const value = read(object as Record<string, Json>);
    if (value === undefined) return fail(frame, missing);
    const taken = take(value);
    return taken === undefined ? fail(frame, wrong) : taken;
  };
}

/** has(a.b): only the field itself may be missing. */
export function hasField(of: Node, field: string, at: number): Node {
  shapeOfField(of, field, at);
  const run = objectRun(of);
  const source = `has(${of.source}.${field})`;
  return makeNode({ at, source }, bool, [of], (frame) => {
    const object = run(frame);
    return object === failed ? failed : Object.hasOwn(object as object, field);
  });
}

function shapeOfField(of: Node, field: string, at: number): ValueShape {
  if (of.shape.kind === 'any') return any;
  if (of.shape.kind !== 'object') {
    const what = nameOf(of.shape.kind);
    throw new ExpressionMistake(`${of.source} is ${what} and has no field "${field}"`, at);
  }
  const shape = fieldShape(of.shape, field);
  if (shape) return shape;
  const known = Object.keys(of.shape.fields);
  throw new ExpressionMistake(`${of.source} has no field "${field}"${suggest(field, known)}`, at);
}

function objectRun(of: Node): Evaluate {
  return of.shape.kind === 'any' ? narrow(of, anyObject, 'a field').run : of.run;
}

export function index(of: Node, key: Node, at: number): Node {
  if (of.shape.kind === 'list') return indexList(of, narrow(key, int, 'an index'), at);
  if (of.shape.kind === 'object') return indexObject(of, key, at);
  if (of.shape.kind !== 'any') {
    throw new ExpressionMistake(
      `${of.source} is ${nameOf(of.shape.kind)}: only lists and objects have items`,
      at,
    );
  }
  if (key.shape.kind === 'string') return indexObject(of, key, at);
  if (key.shape.kind === 'int') return indexList(of, key, at);
  return indexAny(of, narrowKey(key), at);
}

/** The key for an unknown value: a text or an int, checked at run time. */
function narrowKey(key: Node): Node {
  if (key.shape.kind === 'any') return key;
  throw new ExpressionMistake(
    `an index is an int or a string, but ${key.source} is ${nameOf(key.shape.kind)}`,
    key.at,
  );
}

function indexList(of: Node, key: Node, at: number): Node {
  const list = narrow(of, anyList, 'an index');
  const shape = of.shape.kind === 'list' ? of.shape.items : any;
  const take = takes[shape.kind];
  const source = `${of.source}[${key.source}]`;
  const outside = `${source} is outside of the list`;
  const wrong = `${source} is not ${nameOf(shape.kind)}`;
  return makeNode({ at, source }, shape, [list, key], (frame) => {
    const items = list.run(frame);
    const place = items === failed ? failed : key.run(frame);
    if (place === failed) return failed;
    const { length } = items as readonly Json[];
    if ((place as number) < 0 || (place as number) >= length) return fail(frame, outside);
    const taken = take((items as readonly Json[])[place as number] as Json);
    return taken === undefined ? fail(frame, wrong) : taken;
  });
}

function indexObject(of: Node, anyKey: Node, at: number): Node {
  const key = narrow(anyKey, anyText, 'the key of an object');
  if (typeof key.constant === 'string') return selectKey(of, key.constant, at);
  const object = narrow(of, anyObject, 'a key');
  const shape = shapeOfAnyField(of, at);
  const take = takes[shape.kind];
  const source = `${of.source}[${key.source}]`;
  const missing = `${of.source} has no key ${key.source}`;
  const wrong = `${source} is not ${nameOf(shape.kind)}`;
  return makeNode({ at, source }, shape, [object, key], (frame) => {
    const holder = object.run(frame);
    const name = holder === failed ? failed : key.run(frame);
    if (name === failed) return failed;
    if (!Object.hasOwn(holder as object, name as string)) return fail(frame, missing);
    const taken = take((holder as Record<string, Json>)[name as string] as Json);
    return taken === undefined ? fail(frame, wrong) : taken;
  });
}

/** A key that is not a valid name cannot be part of a path, so the whole object counts as read. */
function selectKey(of: Node, field: string, at: number): Node {
  const node = select(of, field, at);
  if (/^[A-Za-z_]\w*$/.test(field)) return node;
  const { path: _, ...rest } = node;
  return of.path === undefined ? rest : { ...rest, path: of.path };
}

function shapeOfAnyField({ shape, source }: Node, at: number): ValueShape {
  if (shape.kind !== 'object') return any;
  const shapes = [...Object.values(shape.fields), ...(shape.open ? [shape.open] : [])];
  const joined = shapes.reduce<ValueShape | undefined>(
    (sum, next) => sum && joinShapes(sum, next),
    shapes[0] ?? any,
  );
  if (joined) return joined;
  throw new ExpressionMistake(`the fields of ${source} are of different kinds`, at);
}

function indexAny(of: Node, key: Node, at: number): Node {
  const source = `${of.source}[${key.source}]`;
  const missing = `${source} is not there`;
  return makeNode({ at, source }, any, [of, key], (frame) => {
    const holder = of.run(frame);
    const place = holder === failed ? failed : key.run(frame);
    if (holder === failed || place === failed) return failed;
    const fits = Array.isArray(holder)
      ? Number.isSafeInteger(place)
      : isPlainObject(holder) && typeof place === 'string';
    if (!fits || !Object.hasOwn(holder as object, place as string)) return fail(frame, missing);
    return (holder as Record<string, Json>)[place as string] as Json;
  });
}
