export { checkForeignCondition, checkForeignExpression, languageOf } from './foreign-expression.ts';
export { createDapInstrumenter } from './instrumenter.ts';
