import { telemetryLimits } from '../limits.ts';
import { weightOf } from '../row-weight.ts';
import type { LogRow, Sink, TelemetryRows } from '../rows.ts';
import { KnownTexts, Room } from './known-texts.ts';
import { readLine } from './line-facts.ts';
import { type LogOrigin, originOfInstance } from './log-name.ts';

/** How long a line waits for its report: if the service has not reported yet, and if it has. */
const holdMs = 2_000;
const holdMsOfReporter = 10_000;
/** How long a report, or a line stored without one, is remembered. */
const knownMs = 10_000;
const toldMs = 60_000;

interface HeldRow {
  readonly row: LogRow;
  readonly untilMs: number;
}

/** The recent lines and reports of one service, in the baseline or in one lane. */
interface Output {
  readonly held: KnownTexts<HeldRow>;
  /** The times of the reports. */
  readonly reported: KnownTexts<number>;
  /** The times of lines stored without a report, whose report may be late on a busy machine. */
  readonly told: KnownTexts<number>;
  /** The run that reports; lines of a file do not say which run wrote them. */
  instance: string;
  reportedAtMs: number;
  readonly seenAtMs: number;
}

export interface ReportedLinesDeps {
  readonly sink: Sink;
  readonly nowMs: () => number;
  /** Counts what could not be stored. */
  readonly count: (what: string, count: number) => void;
}

/**
 * A line of output arrives in two ways: from the log file, and for services with the preload in a
 * report that knows its request. It is stored once, and the report wins.
 */
export class ReportedLines implements Sink {
  readonly #deps: ReportedLinesDeps;
  readonly #outputs = new Map<string, Output>();
  readonly #heldRoom = new Room(
    telemetryLimits.telemetryHeldLinesMax,
    telemetryLimits.telemetryHeldBytesMax,
  );
  readonly #reportedRoom = new Room(
    telemetryLimits.telemetryReportedLinesMax,
    telemetryLimits.telemetryReportedBytesMax,
  );
  readonly #toldRoom = new Room(
    telemetryLimits.telemetryReportedLinesMax,
    telemetryLimits.telemetryReportedBytesMax,
  );

  constructor(deps: ReportedLinesDeps) {
    this.#deps = deps;
  }

  isFull(): boolean {
    return this.#deps.sink.isFull();
  }

  take(rows: Partial<TelemetryRows>): { readonly refused: number } {
    const { logs } = rows;
    if (logs === undefined || logs.length === 0) return this.#deps.sink.take(rows);
    return this.#deps.sink.take({ ...rows, logs: logs.flatMap((row) => this.#report(row)) });
  }

  /** A line out of a log file. */
  offer(row: LogRow, origin: LogOrigin): void {
    const output = this.#outputOf(origin);
    const nowMs = this.#deps.nowMs();
    if (output.reported.takeFirst(keyOf(row)) !== undefined) return;
    const line = output.instance === '' ? row : { ...row, instance: output.instance };
    // A service that has reported will report again, however long it was silent.
    const isReporter = Number.isFinite(output.reportedAtMs);
    const mayBeReported = isReporter || nowMs - output.seenAtMs < knownMs;
    const held = { row: line, untilMs: nowMs + (isReporter ? holdMsOfReporter : holdMs) };
    if (mayBeReported && output.held.put(keyOf(row), held, weightOf('logs', line))) return;
    this.#deps.sink.take({ logs: [line] });
  }

  /** Stores lines that were not reported in time; at the end, all of them. */
  release(isEnd = false): void {
    const nowMs = isEnd ? Number.POSITIVE_INFINITY : this.#deps.nowMs();
    const due: LogRow[] = [];
    for (const output of this.#outputs.values()) {
      const { held, reported, told } = output;
      reported.takeWhile((atMs) => atMs + knownMs <= nowMs);
      told.takeWhile((atMs) => atMs + toldMs <= nowMs);
      for (const { row } of held.takeWhile(({ untilMs }) => untilMs <= nowMs)) {
        due.push(row);
        if (!isEnd) told.put(keyOf(row), nowMs, entryBytes + 2 * keyOf(row).length);
      }
    }
    if (due.length > 0) this.#deps.sink.take({ logs: due });
  }

  /** Nothing if the line is already stored. */
  #report(row: LogRow): LogRow[] {
    const source = /"log\.iostream":"(stdout|stderr)"/.exec(row.attributes)?.[1];
    if (source === undefined) return [row];
    const output = this.#outputOf(originOfInstance(row.instance, row.service));
    output.instance = row.instance;
    output.reportedAtMs = this.#deps.nowMs();
    const key = keyOf(row);
    if (output.told.takeFirst(key) !== undefined) {
      this.#deps.count('reports of lines that were stored without', 1);
      return [];
    }
    const isKnown =
      output.held.takeFirst(key) !== undefined ||
      output.reported.put(key, output.reportedAtMs, entryBytes + 2 * key.length);
    if (!isKnown) this.#deps.count('reported lines not remembered', 1);
    return [withFacts({ ...row, source: source as 'stdout' | 'stderr' })];
  }

  #outputOf({ service, lane }: LogOrigin): Output {
    const name = `${lane} ${service}`;
    const output = this.#outputs.get(name) ?? this.#newOutput();
    // Moved to the end: the first one is dropped first.
    this.#outputs.delete(name);
    this.#outputs.set(name, output);
    return output;
  }

  #newOutput(): Output {
    if (this.#outputs.size >= telemetryLimits.telemetryOutputsMax) this.#forgetOldest();
    return {
      held: new KnownTexts(this.#heldRoom),
      reported: new KnownTexts(this.#reportedRoom),
      told: new KnownTexts(this.#toldRoom),
      instance: '',
      reportedAtMs: Number.NEGATIVE_INFINITY,
      seenAtMs: this.#deps.nowMs(),
    };
  }

  /** Its waiting lines are stored; later lines start anew. */
  #forgetOldest(): void {
    const [oldest] = this.#outputs;
    if (oldest === undefined) return;
    const [name, { held, reported, told }] = oldest;
    this.#outputs.delete(name);
    const logs = held.takeWhile(() => true).map(({ row }) => row);
    for (const texts of [reported, told]) texts.takeWhile(() => true);
    if (logs.length > 0) this.#deps.sink.take({ logs });
  }
}

/** The memory of a known text without its characters. */
const entryBytes = 128;

/** Long lines are cut differently by file and report. */
const keyChars = 1_000;

const keyOf = ({ text }: LogRow): string => text.slice(0, keyChars);

/** Adds facts from the line itself that its reporter did not know. */
function withFacts(row: LogRow): LogRow {
  if (row.severity !== '' && row.traceId !== '') return row;
  const { severity, traceId, spanId } = readLine(row.text);
  const isOwn = row.traceId !== '';
  return {
    ...row,
    severity: row.severity || severity,
    traceId: isOwn ? row.traceId : traceId,
    spanId: isOwn ? row.spanId : spanId,
  };
}
