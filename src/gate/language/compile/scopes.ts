import { isJsonObject, type Json, type JsonObject } from '../../../kernel/index.ts';
import { shapeOfSchema, type ValueShape } from '../../expression/index.ts';
import { gateLimits } from '../../limits.ts';

/** The variables of an expression and their shapes. */
export type ExpressionScope = Readonly<Record<string, ValueShape>>;

const anything: ValueShape = { kind: 'any' };
const text = (lengthMax: number): ValueShape => ({ kind: 'string', lengthMax });
const record = (fields: Readonly<Record<string, ValueShape>>): ValueShape => ({
  kind: 'object',
  fields,
  required: Object.keys(fields),
});

/** One step of the trajectory, as rules see it. */
const step = record({
  tool: text(128),
  /** A hash: enough to tell whether they are the same. */
  arguments: text(64),
  /** `granted`, `denied`, `held`, `committed`, `failed`, `unknown`, `compensated`. */
  outcome: text(32),
  /** The code of the fault or rule that stopped it, or empty. */
  code: text(200),
});

const agent = record({
  name: text(40),
  roles: { kind: 'list', items: text(40), lengthMax: 64 },
});

const task = record({ id: text(64), phase: text(32) });

/** The end of a call, as recovery sees it. */
const outcome = record({ status: text(32), code: text(200) });

/** The variables of a contract's expressions, by the time of evaluation. */
export interface Scopes {
  /** For the key and the arguments of reads: the same for every repetition of a proposal. */
  readonly asking: ExpressionScope;
  /** For resources, cost, evidence and lock, before anything is loaded. */
  readonly assessing: ExpressionScope;
  /** For rules and approval, with clock, task and trajectory. */
  readonly deciding: ExpressionScope;
  /** For the settlement. */
  readonly settling: ExpressionScope;
  /** For recovery. */
  readonly recovering: ExpressionScope;
}

export interface ScopeParts {
  readonly arguments: ValueShape;
  readonly result: ValueShape;
  readonly reads: Readonly<Record<string, ValueShape>>;
  readonly vars: ValueShape;
  readonly seen: ValueShape;
}

export function scopesOf({ arguments: given, result, reads, vars, seen }: ScopeParts): Scopes {
  const asking = { arguments: given, agent, vars };
  const assessing = { ...asking, reads: record(reads) };
  const now: ValueShape = { kind: 'timestamp' };
  const trajectory: ValueShape = {
    kind: 'list',
    items: step,
    lengthMax: gateLimits.trajectoryStepsMax,
  };
  return {
    asking,
    assessing,
    deciding: { ...assessing, task, now, trajectory, seen, begun: seen },
    settling: { ...assessing, result },
    recovering: { arguments: given, vars, outcome, key: text(1_024) },
  };
}

/** How often each tool was committed. An unknown name is a mistake, unless there may be others. */
export function seenShape(tools: readonly string[] | null): ValueShape {
  const times: ValueShape = { kind: 'int', min: 0 };
  if (!tools) return { kind: 'object', fields: {}, open: times };
  return { kind: 'object', fields: Object.fromEntries(tools.map((tool) => [tool, times])) };
}

export function schemaShape(schema: JsonObject | undefined): ValueShape {
  return schema ? shapeOfSchema(schema) : anything;
}

/** The shape of a variable with a known value. */
export function valueShape(value: Json): ValueShape {
  if (typeof value === 'string') return text(value.length);
  if (typeof value === 'boolean') return { kind: 'bool' };
  if (value === null) return { kind: 'null' };
  if (typeof value === 'number') {
    return { kind: Number.isInteger(value) ? 'int' : 'double', min: value, max: value };
  }
  if (isJsonObject(value)) return record(mapValues(value, valueShape));
  return { kind: 'list', items: itemsShape(value as readonly Json[]), lengthMax: value.length };
}

function itemsShape(items: readonly Json[]): ValueShape {
  const shapes = items.map(valueShape);
  const [first = anything] = shapes;
  if (shapes.some(({ kind }) => kind !== first.kind)) return anything;
  if (first.kind === 'string') return text(Math.max(...items.map((item) => String(item).length)));
  if (first.kind === 'int' || first.kind === 'double') {
    return {
      kind: first.kind,
      min: Math.min(...items.map(Number)),
      max: Math.max(...items.map(Number)),
    };
  }
  const isSame = shapes.every((shape) => JSON.stringify(shape) === JSON.stringify(first));
  return isSame ? first : anything;
}

function mapValues<From, To>(
  object: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
