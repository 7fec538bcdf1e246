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
    ask: (question) => queue.run(question.caller, () => run(question)),
    interrupt: () => {
      for (const connection of running) connection.interrupt();
    },
  };
}

interface WaitingQuery {
  readonly caller: string | undefined;
  start(): void;
}

/**
 * Runs a bounded number at once. Agents never have all places, and those of one agent wait for each
 * other: nobody can keep the owner or other agents from an answer.
 */
class QueryQueue {
  readonly #waiting: WaitingQuery[] = [];
  /** Which agent started a query when; the one that has waited longest is next. */
  readonly #lastStarts = new Map<string, number>();
  #starts = 0;
  #running = 0;
  #runningOfAgents = 0;

  async run<Value>(caller: string | undefined, work: () => Promise<Value>): Promise<Value> {
    if (this.#hasPlace(caller)) this.#start(caller);
    else await this.#wait(caller);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (caller !== undefined) this.#runningOfAgents -= 1;
      this.#startNext();
    }
  }

  #hasPlace(caller: string | undefined): boolean {
    const { telemetryQueriesMax } = telemetryLimits;
    if (this.#running >= telemetryQueriesMax) return false;
    return caller === undefined || this.#runningOfAgents < telemetryQueriesMax - 1;
  }

  #start(caller: string | undefined): void {
    this.#running += 1;
    if (caller === undefined) return;
    this.#runningOfAgents += 1;
    if (this.#lastStarts.size >= callersMax) this.#lastStarts.clear();
    this.#lastStarts.set(caller, ++this.#starts);
  }

  #wait(caller: string | undefined): Promise<void> {
    const isAgent = caller !== undefined;
    const waiting = this.#waiting.filter((one) => (one.caller !== undefined) === isAgent);
    const own = waiting.filter((one) => one.caller === caller).length;
    const isTooMany =
      waiting.length >= telemetryLimits.telemetryQueriesQueuedMax ||
      (isAgent && own >= telemetryLimits.telemetryQueriesQueuedOfAgentMax);
    if (isTooMany) {
      throw fault('QUERIES_TOO_MANY', { running: this.#running, waiting: waiting.length });
    }
    return new Promise((resolve) => {
      const start = (): void => {
        this.#start(caller);
        resolve();
      };
      this.#waiting.push({ caller, start });
    });
  }

  #startNext(): void {
    const able = this.#waiting.filter(({ caller }) => this.#hasPlace(caller));
    const age = ({ caller }: WaitingQuery): number =>
      caller === undefined ? -1 : (this.#lastStarts.get(caller) ?? 0);
    const [next] = able.sort((one, other) => age(one) - age(other));
    if (!next) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    next.start();
  }
}

/** Agents of which it is known when they were last served. */
const callersMax = 1_000;
