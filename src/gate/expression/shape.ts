import type { Json } from '../../kernel/index.ts';

/** What is known about a value at load. It types and bounds an expression. */
export type ValueShape = ScalarShape | ListShape | ObjectShape;

export interface ScalarShape {
  readonly kind: ScalarKind;
  readonly min?: number;
  readonly max?: number;
  /** Of a text, in UTF-16 units. */
  readonly lengthMax?: number;
}

export interface ListShape {
  readonly kind: 'list';
  readonly items: ValueShape;
  /** Infinite if unknown: only the step counter bounds it. */
  readonly lengthMax?: number;
}

export interface ObjectShape {
  readonly kind: 'object';
  readonly fields: Readonly<Record<string, ValueShape>>;
  readonly required?: readonly string[];
  /** The shape of other keys. Without it there are none. */
  readonly open?: ValueShape;
}

/** Kinds of values that contain no others. `any` is known only at run time. */
export type ScalarKind =
  | 'bool'
  | 'int'
  | 'double'
  | 'string'
  | 'null'
  | 'timestamp'
  | 'duration'
  | 'any';

export type Kind = ValueShape['kind'];

export const any: ValueShape = { kind: 'any' };
export const bool: ValueShape = { kind: 'bool' };
export const int: ValueShape = { kind: 'int' };
export const double: ValueShape = { kind: 'double' };
export const timestamp: ValueShape = { kind: 'timestamp' };
export const duration: ValueShape = { kind: 'duration' };

export function text(lengthMax?: number): ValueShape {
  return lengthMax === undefined ? { kind: 'string' } : { kind: 'string', lengthMax };
}

export function listOf(items: ValueShape, lengthMax?: number): ListShape {
  return lengthMax === undefined ? { kind: 'list', items } : { kind: 'list', items, lengthMax };
}

/** A list found where any value was possible. */
export const anyList: ListShape = listOf(any, Number.POSITIVE_INFINITY);
export const anyObject: ObjectShape = { kind: 'object', fields: {}, open: any };
/** A text found where any value was possible. */
export const anyText: ValueShape = text(Number.POSITIVE_INFINITY);

export function shapeOfLiteral(value: null | boolean | string): ValueShape {
  if (value === null) return { kind: 'null' };
  return typeof value === 'string' ? text(value.length) : bool;
}

/** The largest length of a text; infinite if unbounded. */
export function textLength(shape: ValueShape): number {
  return shape.kind === 'string'
    ? (shape.lengthMax ?? Number.POSITIVE_INFINITY)
    : Number.POSITIVE_INFINITY;
}

export function isNumeric(kind: Kind): boolean {
  return kind === 'int' || kind === 'double';
}

/** Times are numbers during evaluation; only their shape distinguishes them. */
export function isTime(kind: Kind): boolean {
  return kind === 'timestamp' || kind === 'duration';
}

export function holdsTime(shape: ValueShape): boolean {
  if (shape.kind === 'list') return holdsTime(shape.items);
  if (shape.kind !== 'object') return isTime(shape.kind);
  return Object.values(shape.fields).some(holdsTime) || (!!shape.open && holdsTime(shape.open));
}

/** Whether values of both shapes can be equal. */
export function comparable(one: ValueShape, other: ValueShape): boolean {
  if (one.kind === 'any' || other.kind === 'any') return !isTime(one.kind) && !isTime(other.kind);
  if (one.kind === 'list' && other.kind === 'list') return comparable(one.items, other.items);
  return one.kind === other.kind || (isNumeric(one.kind) && isNumeric(other.kind));
}

/** A shape that covers both; undefined if there is no safe one. */
export function joinShapes(one: ValueShape, other: ValueShape): ValueShape | undefined {
  if (one.kind === 'list' && other.kind === 'list') return joinLists(one, other);
  if (one.kind === 'object' && other.kind === 'object') return joinObjects(one, other);
  if (one.kind === other.kind)
    return { kind: one.kind, ...longer(one as ScalarShape, other as ScalarShape) } as ValueShape;
  return holdsTime(one) || holdsTime(other) ? undefined : any;
}

function joinLists(one: ListShape, other: ListShape): ValueShape | undefined {
  // An empty list does not determine the shape of items.
  const items =
    one.lengthMax === 0
      ? other.items
      : other.lengthMax === 0
        ? one.items
        : joinShapes(one.items, other.items);
  return items && { kind: 'list', items, ...longer(one, other) };
}

function joinObjects(one: ObjectShape, other: ObjectShape): ValueShape | undefined {
  const fields: Record<string, ValueShape> = Object.create(null);
  for (const name of [...Object.keys(one.fields), ...Object.keys(other.fields)]) {
    const here = fieldShape(one, name);
    const there = fieldShape(other, name);
    const joined = here && there ? joinShapes(here, there) : (here ?? there);
    if (!joined) return undefined;
    fields[name] = joined;
  }
  const open = one.open && other.open ? joinShapes(one.open, other.open) : (one.open ?? other.open);
  return open ? { kind: 'object', fields, open } : { kind: 'object', fields };
}

function longer(
  one: { lengthMax?: number },
  other: { lengthMax?: number },
): { lengthMax?: number } {
  if (one.lengthMax === undefined || other.lengthMax === undefined) return {};
  return { lengthMax: Math.max(one.lengthMax, other.lengthMax) };
}

export function fieldShape(shape: ObjectShape, name: string): ValueShape | undefined {
  return Object.hasOwn(shape.fields, name) ? shape.fields[name] : shape.open;
}

export function isPlainObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
