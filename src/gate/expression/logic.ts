import { ExpressionMistake } from './expression.ts';
import { type Evaluate, failed, makeNode, type Node, type SourcePosition } from './node.ts';
import { bool, joinShapes, type ValueShape } from './shape.ts';
import { nameOf, narrow } from './take.ts';

export function not(from: SourcePosition, operand: Node): Node {
  const { run, ...rest } = narrow(operand, bool, '!');
  return makeNode(from, bool, [{ ...rest, run }], (frame) => {
    const value = run(frame);
    return value === failed ? failed : !value;
  });
}

export function and(from: SourcePosition, operands: readonly Node[]): Node {
  return junction(from, operands, { user: '&&', decides: false });
}

export function or(from: SourcePosition, operands: readonly Node[]): Node {
  return junction(from, operands, { user: '||', decides: true });
}

/** CEL's rule: a deciding side decides even if the other side fails, in either order. */
function junction(
  from: SourcePosition,
  operands: readonly Node[],
  { user, decides }: { readonly user: string; readonly decides: boolean },
): Node {
  const parts = operands.map((operand) => narrow(operand, bool, user));
  const runs = parts.map(({ run }) => run);
  const run =
    runs.length === 2 ? ofTwo(runs as [Evaluate, Evaluate], decides) : ofMany(runs, decides);
  return makeNode(from, bool, parts, run);
}

function ofTwo([left, right]: [Evaluate, Evaluate], decides: boolean): Evaluate {
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

function ofMany(runs: readonly Evaluate[], decides: boolean): Evaluate {
  return (frame) => {
    let reason: string | undefined;
    for (let at = 0; at < runs.length; at += 1) {
      const value = (runs[at] as Evaluate)(frame);
      if (value === decides) return decides;
      if (value === failed) reason ??= frame.reason;
    }
    if (reason === undefined) return !decides;
    frame.reason = reason;
    return failed;
  };
}

export function choose(
  from: SourcePosition,
  [condition, then, otherwise]: [Node, Node, Node],
): Node {
  const { run, ...rest } = narrow(condition, bool, '?');
  const shape = shapeOfBoth(then, otherwise);
  return makeNode(from, shape, [{ ...rest, run }, then, otherwise], (frame) => {
    const value = run(frame);
    if (value === failed) return failed;
    return value ? then.run(frame) : otherwise.run(frame);
  });
}

function shapeOfBoth(then: Node, otherwise: Node): ValueShape {
  const [one, other] = [then.shape.kind, otherwise.shape.kind];
  const joined = joinShapes(then.shape, otherwise.shape);
  const isLoose = one === other || [one, other].some((kind) => kind === 'any' || kind === 'null');
  if (joined && isLoose) return joined;
  throw new ExpressionMistake(
    `both sides of ? are of one kind, but these are ${nameOf(one)} and ${nameOf(other)}`,
    otherwise.at,
  );
}
