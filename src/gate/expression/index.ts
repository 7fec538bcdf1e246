export { compileExpression } from './compile.ts';
export {
  type Expression,
  ExpressionFailure,
  ExpressionMistake,
  type Values,
} from './expression.ts';
export { normalPath } from './path-within.ts';
export { shapeOfSchema } from './schema-shape.ts';
export type { ValueShape } from './shape.ts';
