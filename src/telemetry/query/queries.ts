import type { DuckDBConnection } from '@duckdb/node-api';
import { fault, isFault } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import type { TelemetryStore } from '../store/store.ts';
import type { SqlAnswer, SqlQuestion } from './answer.ts';
import { askOn } from './ask.ts';
import type { QueryWatch } from './guard.ts';

export interface Queries {
  ask(question: SqlQuestion): Promise<SqlAnswer>;
  /** Ends all running queries, to free their memory. */
  interrupt(): void;
}

export interface QueriesOptions extends QueryWatch {
  /** Called when a running query cannot be stopped. The owner of the process should end it soon. */
  abandon(): void;
}

/** Runs queries: a bounded number at a time, a bounded number waiting; the rest are refused. */
export function openQueries(store: TelemetryStore, options: QueriesOptions): Queries {
  const running = new Set<DuckDBConnection>();
  const queue = new QueryQueue();
  const run = async (question: SqlQuestion): Promise<SqlAnswer> => {
    const connection = await store.connect();
    running.add(connection);
    try {
      return await askOn({ store, connection }, question, options);
    } catch (error) {
      if (isFault(error, 'QUERY_UNSTOPPABLE')) options.abandon();
      throw error;
    } finally {
      running.delete(connection);
    }
  };
  return {
    ask: (question) => queue.run(() => run(question)),
    interrupt: () => {
      for (const connection of running) connection.interrupt();
    },
  };
}

/** Runs a bounded number at once, in order of arrival. */
class QueryQueue {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#running >= telemetryLimits.telemetryQueriesMax) await this.#wait();
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  #wait(): Promise<void> {
    const waiting = this.#waiting.length;
    if (waiting >= telemetryLimits.telemetryQueriesQueuedMax) {
      throw fault('QUERIES_TOO_MANY', { running: this.#running, waiting });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
