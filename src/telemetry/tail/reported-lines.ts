import { telemetryLimits } from '../limits.ts';
import { weightOf } from '../row-weight.ts';
import type { LogRow, Sink, TelemetryRows } from '../rows.ts';
import { KnownTexts, Room } from './known-texts.ts';
import { readLine } from './line-facts.ts';
import { type LogOrigin, originOfInstance } from './log-name.ts';

/** How long a line waits for a report of the same, where none has come yet and where some have. */
const holdMs = 2_000;
const holdMsOfReporter = 10_000;
/** How long a report is known, and a line that was stored without one. */
const knownMs = 10_000;
const toldMs = 60_000;

interface HeldRow {
  readonly row: LogRow;
  readonly untilMs: number;
}

/** What one service, in the baseline or in one lane, has written and reported of late. */
interface Output {
  readonly held: KnownTexts<HeldRow>;
  /** When. */
  readonly reported: KnownTexts<number>;
  /** When it was stored without a report, which may have been held up on a busy machine. */
  readonly told: KnownTexts<number>;
  /** The run that reports; lines of a file don't say which run wrote them. */
  instance: string;
  reportedAtMs: number;
  readonly seenAtMs: number;
}

export interface ReportedLinesDeps {
  readonly sink: Sink;
  readonly nowMs: () => number;
  /** Of something that can't be done, how often. */
  readonly count: (what: string, count: number) => void;
}

/**
 * A line of output comes by two ways: out of the log file, and for services with the preload by a
 * report that knows the request it was written for. It is stored once, and the report wins.
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
    // Who has reported does so again, however long it was silent.
    const isReporter = Number.isFinite(output.reportedAtMs);
    const mayBeReported = isReporter || nowMs - output.seenAtMs < knownMs;
    const held = { row: line, untilMs: nowMs + (isReporter ? holdMsOfReporter : holdMs) };
    if (mayBeReported && output.held.put(keyOf(row), held, weightOf('logs', line))) return;
    this.#deps.sink.take({ logs: [line] });
  }

  /** Stores what nobody has reported in time; at the end, all of it. */
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

  /** Nothing for what is stored already. */
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
    // The last in the order: whose turn it is to make room is at its beginning.
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

  /** What it holds is stored; lines of it that come later are as those of a new one. */
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

/** What a text that is known takes besides its letters. */
const entryBytes = 128;

/** Long lines are cut, by each in its own way. */
const keyChars = 1_000;

const keyOf = ({ text }: LogRow): string => text.slice(0, keyChars);

/** What the reporter did not know, the line itself may say. */
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
