import { ExpressionMistake } from './expression.ts';
import { type From, failed, makeNode, type Node, type Run } from './node.ts';
import { bool, joinShapes, type Shape } from './shape.ts';
import { nameOf, narrow } from './take.ts';

export function not(from: From, operand: Node): Node {
  const { run, ...rest } = narrow(operand, bool, '!');
  return makeNode(from, bool, [{ ...rest, run }], (frame) => {
    const value = run(frame);
    return value === failed ? failed : !value;
  });
}

export function and(from: From, operands: readonly Node[]): Node {
  return junction(from, operands, { user: '&&', decides: false });
}

export function or(from: From, operands: readonly Node[]): Node {
  return junction(from, operands, { user: '||', decides: true });
}

/** CEL's rule: a side that decides does so even when another side fails, in either order. */
function junction(
  from: From,
  operands: readonly Node[],
  { user, decides }: { readonly user: string; readonly decides: boolean },
): Node {
  const parts = operands.map((operand) => narrow(operand, bool, user));
  const runs = parts.map(({ run }) => run);
  const run = runs.length === 2 ? ofTwo(runs as [Run, Run], decides) : ofMany(runs, decides);
  return makeNode(from, bool, parts, run);
}

function ofTwo([left, right]: [Run, Run], decides: boolean): Run {
  return (frame) => {
    const first = left(frame);
    if (first === decides) return decides;
    if (first !== failed) return right(frame);
    const { reason } = frame;
    if (right(frame) === decides) return decides;
    frame.reason = reason;
    return failed;
  };
}

function ofMany(runs: readonly Run[], decides: boolean): Run {
  return (frame) => {
    let reason: string | undefined;
    for (let at = 0; at < runs.length; at += 1) {
      const value = (runs[at] as Run)(frame);
      if (value === decides) return decides;
      if (value === failed) reason ??= frame.reason;
    }
    if (reason === undefined) return !decides;
    frame.reason = reason;
    return failed;
  };
}

export function choose(from: From, [condition, then, otherwise]: [Node, Node, Node]): Node {
  const { run, ...rest } = narrow(condition, bool, '?');
  const shape = shapeOfBoth(then, otherwise);
  return makeNode(from, shape, [{ ...rest, run }, then, otherwise], (frame) => {
    const value = run(frame);
    if (value === failed) return failed;
    return value ? then.run(frame) : otherwise.run(frame);
  });
}

function shapeOfBoth(then: Node, otherwise: Node): Shape {
  const [one, other] = [then.shape.kind, otherwise.shape.kind];
  const joined = joinShapes(then.shape, otherwise.shape);
  const isLoose = one === other || [one, other].some((kind) => kind === 'any' || kind === 'null');
  if (joined && isLoose) return joined;
  throw new ExpressionMistake(
    `both sides of ? are of one kind, but these are ${nameOf(one)} and ${nameOf(other)}`,
    otherwise.at,
  );
}
