import type { JsonObject } from '../kernel/index.ts';
import type { SystemNamesUpdate } from './otlp/index.ts';
import type { ScrapeTarget } from './prometheus/scrape.ts';
import type { SqlAnswer, SqlQuestion } from './query/answer.ts';
import type { Sink, TelemetryRows } from './rows.ts';
import type { TelemetryStatus } from './status.ts';

/** The calls that the telemetry process answers on its socket. */
export interface TelemetryCalls {
  readonly 'GET /control/status': Call<undefined, TelemetryStatus>;
  readonly 'PUT /control/names': Call<SystemNamesUpdate, void>;
  readonly 'PUT /control/secrets': Call<{ readonly values: readonly string[] }, void>;
  readonly 'PUT /control/targets': Call<{ readonly targets: readonly ScrapeTarget[] }, void>;
  readonly 'POST /control/query': Call<SqlQuestion, SqlAnswer>;
  readonly 'POST /control/record': Call<RecordedRows, ReturnType<Sink['take']>>;
}

interface Call<Body, Answer> {
  readonly body: Body;
  readonly answer: Answer;
}

/** Rows in JSON; omitted fields are empty. */
export type RecordedRows = {
  readonly [Table in 'hops' | 'deployments' | 'alerts' | 'metrics' | 'logs']?: readonly JsonRow<
    TelemetryRows[Table][number]
  >[];
} & { readonly lostHops?: number };

/** Nanoseconds are texts of digits, because a JSON number cannot hold them. */
type JsonRow<Row> = {
  readonly [Name in keyof Row]?: Row[Name] extends bigint ? string : Row[Name];
};

/** The server side. Callers may have another version, so bodies are checked. */
export type TelemetryControls = {
  readonly [Name in keyof TelemetryCalls]: (
    body: JsonObject,
  ) => Promise<TelemetryCalls[Name]['answer']> | TelemetryCalls[Name]['answer'];
};
