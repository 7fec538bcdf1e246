export { drawGraph, serviceGraph, traceOf } from './graph/index.ts';
export type { Answer, Question } from './query/answer.ts';
export {
  type Asker,
  ask,
  askSql,
  parameterMeanings,
  questions,
  type Table,
  tableOf,
  viewColumns,
} from './questions/index.ts';
export type {
  AlertRow,
  DeploymentRow,
  HopRow,
  LogRow,
  MetricRow,
  Nanoseconds,
  Origin,
  Rows,
  Sink,
  SpanRow,
} from './rows.ts';
