import type { DuckDBConnection } from '@duckdb/node-api';
import { type Fault, fault, isFault } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import { queryFault } from './query-fault.ts';

export interface QueryWatch {
  /** The memory of the process; tests replace it. */
  residentMb?(): number;
}

export interface QueryGuardOptions extends QueryWatch {
  readonly msMax: number;
}

const lookEveryMs = 50;

/**
 * Ends a query that takes too long or too much memory. DuckDB checks for interrupts between pieces
 * of work, but not inside one function call (a `replace` that makes gigabytes). The caller of such
 * a query gets an error that it could not be stopped: only the end of the process stops it.
 */
export function guarded<Value>(
  connection: DuckDBConnection,
  options: QueryGuardOptions,
  work: () => Promise<Value>,
): Promise<Value> {
  const guard = new Guard(connection, options);
  return Promise.race([guard.unstoppable, work()])
    .catch((error: unknown) => {
      throw guard.explain(error);
    })
    .finally(() => guard.end());
}

class Guard {
  /** Rejects if the query continues although it was interrupted. */
  readonly unstoppable: Promise<never>;
  readonly #connection: DuckDBConnection;
  readonly #options: QueryGuardOptions;
  readonly #startedMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  #reason: Fault | null = null;
  #interruptedMs = 0;
  #giveUp: (error: Fault) => void = () => undefined;

  constructor(connection: DuckDBConnection, options: QueryGuardOptions) {
    this.#connection = connection;
    this.#options = options;
    this.unstoppable = new Promise((_, reject) => {
      this.#giveUp = reject;
    });
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  explain(error: unknown): unknown {
    if (isFault(error)) return error;
    return this.#reason ?? queryFault(error as Error);
  }

  #look(): void {
    const nowMs = performance.now();
    if (this.#reason) this.#insist(nowMs);
    else this.#check(nowMs);
  }

  #check(nowMs: number): void {
    const { msMax } = this.#options;
    const megabytes = this.#residentMb();
    if (nowMs - this.#startedMs >= msMax) this.#interrupt(fault('QUERY_TOO_SLOW', { ms: msMax }));
    else if (megabytes > telemetryLimits.telemetryResidentMbMax) {
      const reason = `the process had grown to ${Math.round(megabytes)} MB.`;
      this.#interrupt(fault('QUERY_TOO_LARGE', { reason }));
    }
  }

  #interrupt(reason: Fault): void {
    this.#reason = reason;
    this.#interruptedMs = performance.now();
    this.#connection.interrupt();
  }

  /** DuckDB forgets an interrupt between two statements, so it is repeated. */
  #insist(nowMs: number): void {
    this.#connection.interrupt();
    const isOver = nowMs - this.#interruptedMs >= telemetryLimits.telemetryStopMsMax;
    const isHuge = this.#residentMb() > 2 * telemetryLimits.telemetryResidentMbMax;
    if (isOver || isHuge) this.#giveUp(fault('QUERY_UNSTOPPABLE', {}));
  }

  #residentMb(): number {
    return this.#options.residentMb?.() ?? process.memoryUsage.rss() / 1e6;
  }
}
