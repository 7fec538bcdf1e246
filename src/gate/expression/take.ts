import type { Json } from '../../kernel/index.ts';
import { ExpressionMistake } from './expression.ts';
import { fail, failed, makeNode, type Node } from './node.ts';
import { isPlainObject, type Kind, type ValueShape } from './shape.ts';
import { durationMs, parseDuration, parseTimestamp, timestampMs } from './time-text.ts';

/** The value in the representation of a kind, or undefined if it is of another kind. */
export type Take = (value: Json) => Json | undefined;

/** Values are checked where they are read, so that later code need not. */
export const takes: Readonly<Record<Kind, Take>> = {
  any: (value) => value,
  bool: (value) => (typeof value === 'boolean' ? value : undefined),
  int: (value) => (Number.isSafeInteger(value) ? value : undefined),
  double: (value) => (typeof value === 'number' ? value : undefined),
  string: (value) => (typeof value === 'string' ? value : undefined),
  null: (value) => (value === null ? value : undefined),
  list: (value) => (Array.isArray(value) ? value : undefined),
  object: (value) => (isPlainObject(value) ? value : undefined),
  timestamp: takeTimestamp,
  duration: takeDuration,
};

/** As milliseconds, which our own clock gives, or as RFC 3339. */
function takeTimestamp(value: Json): number | undefined {
  if (typeof value === 'number') return timestampMs(value);
  return typeof value === 'string' ? parseTimestamp(value) : undefined;
}

function takeDuration(value: Json): number | undefined {
  if (typeof value === 'number') return durationMs(value);
  return typeof value === 'string' ? parseDuration(value) : undefined;
}

const kindNames: Readonly<Record<Kind, string>> = {
  any: 'any value',
  bool: 'a bool',
  int: 'an int',
  double: 'a double',
  string: 'a string',
  null: 'null',
  list: 'a list',
  object: 'an object',
  timestamp: 'a timestamp',
  duration: 'a duration',
};

export function nameOf(kind: Kind): string {
  return kindNames[kind];
}

/** The node as one of that kind: checked at load if its shape is known, at run time otherwise. */
export function narrow(node: Node, shape: ValueShape, user: string): Node {
  if (node.shape.kind === shape.kind) return node;
  if (node.shape.kind !== 'any' || shape.kind === 'timestamp' || shape.kind === 'duration') {
    throw new ExpressionMistake(
      `${user} needs ${nameOf(shape.kind)}, but ${node.source} is ${nameOf(node.shape.kind)}${hint(node, shape)}`,
      node.at,
    );
  }
  const { run } = node;
  const take = takes[shape.kind];
  const reason = `${node.source} is not ${nameOf(shape.kind)}`;
  return makeNode(
    node,
    shape,
    [node],
    (frame) => {
      const value = run(frame);
      if (value === failed) return failed;
      const taken = take(value);
      return taken === undefined ? fail(frame, reason) : taken;
    },
    { steps: 0 },
  );
}

function hint(node: Node, { kind }: ValueShape): string {
  const from = node.shape.kind;
  const converts =
    kind === 'int' || kind === 'double' || kind === 'string'
      ? from === 'int' || from === 'double' || from === 'string'
      : (kind === 'timestamp' || kind === 'duration') && (from === 'string' || from === 'any');
  return converts ? `: write ${kind}(${node.source})` : '';
}
