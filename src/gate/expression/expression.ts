import type { Json } from '../../kernel/index.ts';
import type { Kind } from './shape.ts';

/** The values of an expression's variables. A missing one is `undefined`. */
export type Values = Readonly<Record<string, Json | undefined>>;

export interface Expression {
  readonly text: string;
  readonly kind: Kind;
  /** The largest number of steps of any evaluation. */
  readonly stepsMax: number;
  /** The paths that it reads, such as `arguments.amount`. */
  readonly paths: readonly string[];
  /** Throws an ExpressionFailure. */
  evaluate(values: Values): Json;
}

/** A mistake in the text of an expression. `offset` is its position in UTF-16 units. */
export class ExpressionMistake extends Error {
  override readonly name = 'ExpressionMistake';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The expression has no result for these values. The caller must fail closed. */
export class ExpressionFailure extends Error {
  override readonly name = 'ExpressionFailure';
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}
