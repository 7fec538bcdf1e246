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

/** What is asked, checked: from when to when, and about what. */
export interface QuestionInput extends Partial<Readonly<Record<ParameterName, string>>> {
  /** 0: as far back as anything is kept. */
  readonly from: Instant;
  readonly until: Instant;
  readonly rowsMax: number;
}

/** The views of the store, by which everything is asked. */
export type View = 'spans' | 'requests' | 'logs' | 'metrics' | 'hops' | 'deployments' | 'alerts';

/** A ready-made question: one query, and how its answer is said. */
export interface Question {
  readonly name: string;
  /** In words, for who looks for the right one. */
  readonly asks: string;
  readonly takes: readonly ParameterName[];
  /** One of these has to be given. */
  readonly needs?: readonly ParameterName[];
  /** The first is the one whose emptiness explains an empty answer. */
  readonly views: readonly [View, ...View[]];
  /** How far back it looks unless told; null: as far as anything is kept. */
  readonly sinceMs: number | null;
  sql(asked: QuestionInput): string;
  /** The most important of it in a sentence; there is at least one row. */
  say(rows: readonly TableRow[], asked: QuestionInput): string;
}
