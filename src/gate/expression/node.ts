import type { Json } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';
import { ExpressionFailure, type Values } from './expression.ts';
import type { ValueShape } from './shape.ts';

/**
 * Failing is a value and not an exception: `||` may still absorb it, and a thousand items that
 * fail one by one must not cost a thousand exceptions.
 */
export const failed: unique symbol = Symbol('failed');

export type Result = Json | typeof failed;
export type Evaluate = (frame: EvaluationFrame) => Result;

/** The state of one evaluation. */
export interface EvaluationFrame {
  values: Values;
  stepsLeft: number;
  /** Why the last part failed that did. */
  reason: string;
  /** The variables of the macros that we are inside of. */
  readonly locals: Json[];
}

/** Where a part stands, and how it is called in messages. */
export interface SourcePosition {
  readonly at: number;
  readonly source: string;
}

/** A part of an expression, ready to run. */
export interface Node extends SourcePosition {
  readonly shape: ValueShape;
  readonly run: Evaluate;
  /** Steps of a run without loops and without what depends on the size of values. */
  readonly steps: number;
  /** Steps of the longest run that the shapes allow. */
  readonly stepsMax: number;
  /** Whether sizes that no shape bounds come on top; only the counter stops those. */
  readonly isOpen: boolean;
  readonly constant?: Json;
  /** What it reads, when it is nothing but a read. */
  readonly path?: string;
}

export function fail(frame: EvaluationFrame, reason: string): typeof failed {
  frame.reason = reason;
  return failed;
}

export function spend(frame: EvaluationFrame, steps: number): void {
  frame.stepsLeft -= steps;
  if (frame.stepsLeft < 0) overrun();
}

/** Thrown, so that nothing absorbs it. */
function overrun(): never {
  throw new ExpressionFailure(
    `it takes more than ${gateLimits.expressionStepsMax} steps with these values`,
  );
}

/** How much a part costs besides the parts that it is made of. */
export interface Cost {
  readonly steps?: number;
  /** On top, by the size of values. Infinite: no shape bounds it. */
  readonly stepsBySize?: number;
}

export function makeNode(
  from: SourcePosition,
  shape: ValueShape,
  parts: readonly Node[],
  run: Evaluate,
  { steps = 1, stepsBySize = 0 }: Cost = {},
): Node {
  const isOpen = stepsBySize === Number.POSITIVE_INFINITY;
  return {
    at: from.at,
    source: from.source,
    shape,
    run,
    steps: parts.reduce((sum, part) => sum + part.steps, steps),
    stepsMax: parts.reduce((sum, part) => sum + part.stepsMax, steps + (isOpen ? 0 : stepsBySize)),
    isOpen: isOpen || parts.some((part) => part.isOpen),
  };
}

export function constantNode(from: SourcePosition, shape: ValueShape, constant: Json): Node {
  const run = (): Json => constant;
  return {
    at: from.at,
    source: from.source,
    shape,
    run,
    steps: 0,
    stepsMax: 0,
    isOpen: false,
    constant,
  };
}

/** Texts are searched, compared and copied natively: many characters to a step. */
export const charsPerStep = 64;

export function stepsOfText(length: number): number {
  return Math.ceil(length / charsPerStep);
}
