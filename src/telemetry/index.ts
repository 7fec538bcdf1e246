export type { Answer, Question } from './query/answer.ts';
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
