import type { Json } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';
import { ExpressionFailure, type Values } from './expression.ts';
import type { ValueShape } from './shape.ts';

/**
 * Failure is a value and not an exception, because `||` may still absorb it, and a thousand failing
 * items must not cost a thousand exceptions.
 */
export const failed: unique symbol = Symbol('failed');

export type Result = Json | typeof failed;
export type Evaluate = (frame: EvaluationFrame) => Result;

/** The state of one evaluation. */
export interface EvaluationFrame {
  values: Values;
  stepsLeft: number;
  /** The reason of the last failure. */
  reason: string;
  /** The variables of the enclosing macros. */
  readonly locals: Json[];
}

/** The position of a part, and its text for messages. */
export interface SourcePosition {
  readonly at: number;
  readonly source: string;
}

/** A compiled part of an expression. */
export interface Node extends SourcePosition {
  readonly shape: ValueShape;
  readonly run: Evaluate;
  /** The steps of a run without loops and without costs that depend on the size of values. */
  readonly steps: number;
  /** The largest number of steps that the shapes allow. */
  readonly stepsMax: number;
  /** Whether no shape bounds some costs, so that only the step counter does. */
  readonly isOpen: boolean;
  readonly constant?: Json;
  /** The path that it reads, if it only reads. */
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

/** Throws, so that nothing absorbs it. */
function overrun(): never {
  throw new ExpressionFailure(
    `it takes more than ${gateLimits.expressionStepsMax} steps with these values`,
  );
}

/** The cost of a part besides the cost of its operands. */
export interface Cost {
  readonly steps?: number;
  /** The additional steps by the size of values. Infinite if no shape bounds them. */
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

/** Texts are searched, compared and copied natively, many characters per step. */
export const charsPerStep = 64;

export function stepsOfText(length: number): number {
  return Math.ceil(length / charsPerStep);
}
