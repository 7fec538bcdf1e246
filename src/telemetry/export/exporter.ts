import { redactText } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import { weightOf } from '../row-weight.ts';
import type { LogRow, MetricRow, Origin, SpanRow, TelemetryRows } from '../rows.ts';
import { encodeLogs } from './otlp-logs.ts';
import { encodeMetrics } from './otlp-metrics.ts';
import { encodeSpans } from './otlp-spans.ts';
import {
  type Courier,
  createCourier,
  type ExportedSignal,
  type ExportTarget,
} from './send-otlp.ts';

export interface ExportSettings extends ExportTarget {
  readonly signals: readonly ExportedSignal[];
  /** Exports only rows that belong to a lane. */
  readonly lanesOnly: boolean;
}

export interface ExportStatus {
  readonly endpoint: string;
  readonly sent: number;
  readonly lost: number;
  readonly waiting: number;
  /** The problem of the last attempt; null if there was none. */
  readonly problem: string | null;
}

interface Line {
  readonly signal: ExportedSignal;
  rows: Origin[];
  /** The size of all waiting rows. */
  bytes: number;
  weigh(row: Origin): number;
  encode(rows: readonly Origin[]): Buffer;
}

const sendEveryMs = 500;
const backOffMsMin = 500;
const backOffMsMax = 30_000;

/**
 * Sends copies of incoming rows to another receiver. An unreachable receiver loses rows, but never
 * delays anything.
 */
export class Exporter {
  readonly #settings: ExportSettings;
  readonly #courier: Courier;
  readonly #lines: readonly Line[];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #backOffMs = 0;
  #sent = 0;
  #lost = 0;
  #problem: string | null = null;
  #isClosed = false;

  constructor(settings: ExportSettings) {
    this.#settings = settings;
    this.#courier = createCourier(settings);
    const all: Line[] = [
      lineOf('traces', (rows) => encodeSpans(rows as SpanRow[])),
      lineOf('metrics', (rows) => encodeMetrics(rows as MetricRow[])),
      lineOf('logs', (rows) => encodeLogs(rows as LogRow[])),
    ];
    this.#lines = all.filter(({ signal }) => settings.signals.includes(signal));
  }

  see({ spans = [], metrics = [], logs = [] }: Partial<TelemetryRows>): void {
    if (this.#isClosed) return;
    const came = { traces: spans, metrics, logs };
    for (const line of this.#lines) this.#add(line, this.#wanted(came[line.signal]));
    this.#schedule(sendEveryMs);
  }

  /** Adds metrics about telemetry itself, which belong to no lane. */
  seeOwn(metrics: readonly MetricRow[]): void {
    const line = this.#lines.find(({ signal }) => signal === 'metrics');
    if (this.#isClosed || !line) return;
    this.#add(line, metrics);
    this.#schedule(sendEveryMs);
  }

  status(): ExportStatus {
    const waiting = this.#lines.reduce((sum, { rows }) => sum + rows.length, 0);
    const endpoint = redactText(this.#settings.endpoint);
    return { endpoint, sent: this.#sent, lost: this.#lost, waiting, problem: this.#problem };
  }

  /** Tries once more to send the waiting rows. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#sending;
    await this.#sendAll();
    this.#courier.close();
  }

  #wanted(rows: readonly Origin[]): readonly Origin[] {
    return this.#settings.lanesOnly ? rows.filter(({ lane }) => lane !== '') : rows;
  }

  #add(line: Line, wanted: readonly Origin[]): void {
    for (const row of wanted) {
      if (isFull(line)) this.#lost++;
      else {
        line.rows.push(row);
        line.bytes += line.weigh(row);
      }
    }
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#sending = this.#sendAll().finally(() => {
        this.#timer = undefined;
        const isLeft = this.#lines.some(({ rows }) => rows.length > 0);
        if (isLeft && !this.#isClosed) this.#schedule(this.#backOffMs || sendEveryMs);
      });
    }, ms).unref();
  }

  async #sendAll(): Promise<void> {
    for (const line of this.#lines)
      while (line.rows.length > 0) if (!(await this.#sendSome(line))) return;
  }

  /** Whether to continue: rows that may be accepted later stay, in order. */
  async #sendSome(line: Line): Promise<boolean> {
    const { some, bytes } = firstOf(line);
    const sent = await this.#courier.send(line.signal, line.encode(some));
    if (sent.result === 'later') {
      this.#problem = sent.reason;
      const longer = Math.max(backOffMsMin, this.#backOffMs * 2);
      this.#backOffMs = Math.min(backOffMsMax, sent.afterMs ?? longer);
      return false;
    }
    line.rows = line.rows.slice(some.length);
    line.bytes -= bytes;
    this.#backOffMs = 0;
    this.#problem = sent.result === 'never' ? sent.reason : null;
    if (sent.result === 'never') this.#lost += some.length;
    else this.#sent += some.length;
    return true;
  }
}

const tables = { traces: 'spans', metrics: 'metrics', logs: 'logs' } as const;

function lineOf(signal: ExportedSignal, encode: Line['encode']): Line {
  const weigh = (row: Origin): number => weightOf(tables[signal], row as never);
  return { signal, rows: [], bytes: 0, weigh, encode };
}

function isFull({ rows, bytes }: Line): boolean {
  return (
    rows.length >= telemetryLimits.exportRowsQueuedMax ||
    bytes >= telemetryLimits.exportBytesQueuedMax
  );
}

/** As many of the oldest rows as fit into one message; a row that is too large goes alone. */
function firstOf({ rows, weigh }: Line): { readonly some: Origin[]; readonly bytes: number } {
  const some: Origin[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, telemetryLimits.exportRowsMax)) {
    const weight = weigh(row);
    if (some.length > 0 && bytes + weight > telemetryLimits.exportBytesMax) break;
    some.push(row);
    bytes += weight;
  }
  return { some, bytes };
}
