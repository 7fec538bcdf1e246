import type { Instant } from '../../kernel/index.ts';
import type { TableRow } from '../api-schema.ts';

export const parameterMeanings = {
  service: 'only this service',
  lane: 'only this lane; "baseline" for rows without a lane',
  route: 'only this route, such as /orders/:id',
  trace: 'the id of a trace, 32 hex digits',
  request: 'the id of a request: x-request-id',
  deployment: 'since this deployment: a service, or the beginning of a version',
  severity: 'only lines at least this severe: debug, info, warn, error or fatal',
  matching: 'only lines that contain this text, ignoring case',
  metric: 'the name of a metric, or its beginning',
} as const;

export type ParameterName = keyof typeof parameterMeanings;

/** The checked parameters of a question: its range and its subject. */
export interface QuestionInput extends Partial<Readonly<Record<ParameterName, string>>> {
  /** 0: since the oldest stored row. */
  readonly from: Instant;
  readonly until: Instant;
  readonly rowsMax: number;
}

/** The views of the store that queries use. */
export type View = 'spans' | 'requests' | 'logs' | 'metrics' | 'hops' | 'deployments' | 'alerts';

/** A ready-made question: one query, and how its answer is summarised. */
export interface Question {
  readonly name: string;
  /** The question in words, for the list of questions. */
  readonly asks: string;
  readonly takes: readonly ParameterName[];
  /** One of these is required. */
  readonly needs?: readonly ParameterName[];
  /** If the first one is empty, that explains an empty answer. */
  readonly views: readonly [View, ...View[]];
  /** The default length of its range; null: everything that is stored. */
  readonly sinceMs: number | null;
  sql(asked: QuestionInput): string;
  /** The most important fact in one sentence; there is at least one row. */
  say(rows: readonly TableRow[], asked: QuestionInput): string;
}
