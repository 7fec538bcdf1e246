import type { Json } from '../../kernel/index.ts';
import type { Kind } from './shape.ts';

/** What an expression reads: a value by the name of each variable. Absent is `undefined`. */
export type Values = Readonly<Record<string, Json | undefined>>;

export interface Expression {
  readonly text: string;
  readonly kind: Kind;
  /** No evaluation takes more steps, whatever the values are. */
  readonly stepsMax: number;
  /** What it reads, such as `arguments.amount`. */
  readonly paths: readonly string[];
  /** Throws an ExpressionFailure. */
  evaluate(values: Values): Json;
}

/** The text is wrong, whatever the values will be. `offset` is where, in UTF-16 units. */
export class ExpressionMistake extends Error {
  override readonly name = 'ExpressionMistake';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The text is right, but these values have no answer. Whoever asked must not go on. */
export class ExpressionFailure extends Error {
  override readonly name = 'ExpressionFailure';
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}
