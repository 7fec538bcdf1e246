export { type Asker, ask } from './ask.ts';
export { askSql } from './ask-sql.ts';
export { questions } from './catalogue.ts';
export { textLiteral, timeLiteral } from './literal.ts';
export { parameterMeanings } from './question.ts';
export { type ResultTable, tableOf } from './table.ts';
export { viewColumns } from './view-columns.ts';
