import type { Json } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';
import { makeList, makeMap } from './containers.ts';
import {
  type Expression,
  ExpressionFailure,
  ExpressionMistake,
  type Values,
} from './expression.ts';
import { callFunction } from './functions.ts';
import { itemShape, makeMacro, rangeOf } from './macros.ts';
import { constantNode, type EvaluationFrame, failed, type Node } from './node.ts';
import { hasField, type NameScope, readName, select } from './read.ts';
import { double, holdsTime, int, shapeOfLiteral, text, type ValueShape } from './shape.ts';
import { type MacroSyntax, readSyntax, type SyntaxTree } from './syntax.ts';
import { nameOf, narrow } from './take.ts';
import { durationText, timestampText } from './time-text.ts';

export type CompileRequest = 'bool' | 'int' | 'string';

/** Runs once, at load, and reports every mistake in the text. */
export function compileExpression(
  source: string,
  scope: Readonly<Record<string, ValueShape>>,
  wanted?: CompileRequest,
): Expression {
  const compiler = new Compiler(scope);
  const root = compiler.compile(readSyntax(source), []);
  const node = wanted ? asWanted(root, wanted) : root;
  checkResult(node);
  checkSteps(node);
  return {
    text: source,
    kind: node.shape.kind,
    stepsMax: node.isOpen ? gateLimits.expressionStepsMax : node.stepsMax,
    paths: [...compiler.paths],
    evaluate: evaluator(node),
  };
}

function asWanted(node: Node, wanted: CompileRequest): Node {
  const shape = wanted === 'bool' ? ({ kind: 'bool' } as const) : wanted === 'int' ? int : text();
  return narrow(node, shape, 'the whole expression');
}

function checkResult({ shape, at }: Node): void {
  if ((shape.kind === 'list' || shape.kind === 'object') && holdsTime(shape)) {
    throw new ExpressionMistake('times in the answer are written as texts: use string()', at);
  }
}

function checkSteps({ stepsMax, at }: Node): void {
  if (stepsMax <= gateLimits.expressionStepsMax) return;
  throw new ExpressionMistake(
    `it may take ${stepsMax} steps, more than ${gateLimits.expressionStepsMax}: bound its lists and texts more tightly`,
    at,
  );
}

class Compiler {
  readonly paths = new Set<string>();
  readonly #scope: NameScope['scope'];

  constructor(scope: NameScope['scope']) {
    this.#scope = scope;
  }

  compile(tree: SyntaxTree, locals: NameScope['locals']): Node {
    const node = this.#make(tree, locals);
    if (node.path !== undefined) this.paths.add(node.path);
    return node;
  }

  #make(tree: SyntaxTree, locals: NameScope['locals']): Node {
    const { at } = tree;
    switch (tree.is) {
      case 'literal':
        return literal(tree);
      case 'name':
        return readName(tree.name, at, { scope: this.#scope, locals });
      case 'select':
        return this.#select(tree, locals);
      case 'list':
        return makeList({ at, source: 'the list' }, this.#all(tree.items, locals));
      case 'map': {
        const entries = tree.entries.map(
          ([key, value]) => [this.compile(key, locals), this.compile(value, locals)] as const,
        );
        return makeMap({ at, source: 'the object' }, entries);
      }
      case 'macro':
        return this.#macro(tree, locals);
      case 'call':
        return this.#call(tree, locals);
    }
  }

  #all(trees: readonly SyntaxTree[], locals: NameScope['locals']): Node[] {
    return trees.map((tree) => this.compile(tree, locals));
  }

  /** Of `a.b.c`, only the whole path counts as read. */
  #select(tree: Extract<SyntaxTree, { is: 'select' }>, locals: NameScope['locals']): Node {
    const of = this.#make(tree.of, locals);
    if (!tree.test) return select(of, tree.field, tree.at);
    if (of.path !== undefined) this.paths.add(`${of.path}.${tree.field}`);
    return hasField(of, tree.field, tree.at);
  }

  #call(tree: Extract<SyntaxTree, { is: 'call' }>, locals: NameScope['locals']): Node {
    const [first, ...rest] = tree.items;
    if (tree.name !== '_[_]' || !first) return callFunction(tree, this.#all(tree.items, locals));
    const of = this.#make(first, locals);
    const node = callFunction(tree, [of, ...this.#all(rest, locals)]);
    // An index that is not a name ends the path at the indexed value.
    if (node.path === undefined && of.path !== undefined) this.paths.add(of.path);
    return node;
  }

  #macro(
    { name, range: over, variable, when, body, at }: MacroSyntax,
    locals: NameScope['locals'],
  ): Node {
    const range = rangeOf(this.compile(over, locals), name);
    const slot = locals.length;
    const inner = [...locals, { name: variable, shape: itemShape(range), slot }];
    return makeMacro(
      { at, source: `${range.source}.${name}()` },
      {
        name,
        range,
        slot,
        when: when && this.compile(when, inner),
        body: this.compile(body, inner),
      },
    );
  }
}

function literal({ at, kind, value }: Extract<SyntaxTree, { is: 'literal' }>): Node {
  const from = { at, source: JSON.stringify(value) };
  if (kind === 'int') return constantNode(from, int, value);
  if (kind === 'double') return constantNode(from, double, value);
  return constantNode(from, shapeOfLiteral(value as null | boolean | string), value);
}

/** One frame serves all evaluations: they are synchronous and never nested. */
const nothing: Values = Object.freeze({});
const frame: EvaluationFrame = { values: nothing, stepsLeft: 0, reason: '', locals: [] };

function evaluator({ run, steps, shape }: Node): (values: Values) => Json {
  const stepsLeft = gateLimits.expressionStepsMax - steps;
  const answer = answers[shape.kind];
  return (values) => {
    frame.values = values;
    frame.stepsLeft = stepsLeft;
    const result = run(frame);
    // Releases the values, which may be megabytes, until the next evaluation.
    frame.values = nothing;
    if (result === failed) throw new ExpressionFailure(frame.reason);
    return answer ? answer(result) : result;
  };
}

/** Conversions to JSON of the kinds that are represented differently during evaluation. */
const answers: Partial<Readonly<Record<ValueShape['kind'], (value: Json) => Json>>> = {
  timestamp: (value) => timestampText(value as number),
  duration: (value) => durationText(value as number),
  double: finite,
  any: finite,
};

function finite(value: Json): Json {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new ExpressionFailure(`${value} is not ${nameOf('double')} that JSON can hold`);
  }
  return value;
}
