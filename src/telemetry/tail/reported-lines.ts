import { limits } from '../../kernel/index.ts';
import type { LogRow, Rows, Sink } from '../rows.ts';
import { readLine } from './line-facts.ts';
import { type LogOrigin, originOfInstance } from './log-name.ts';

/** How long a line waits for a report of the same, and how long a report is known. */
const holdMs = 2_000;
const knownMs = 10_000;

interface Held {
  readonly row: LogRow;
  readonly untilMs: number;
}

/** What one service, in the baseline or in one lane, has written and reported of late. */
interface Output {
  readonly held: Map<string, Held[]>;
  readonly reported: Map<string, number[]>;
  /** The run that reports; lines of a file don't say which run wrote them. */
  instance: string;
  reportedAtMs: number;
  readonly seenAtMs: number;
}

export interface ReportedLinesDeps {
  readonly sink: Sink;
  readonly nowMs: () => number;
}

/**
 * A line of output comes by two ways: out of the log file, and for services with the preload by a
 * report that knows the request it was written for. It is stored once, and the report wins.
 */
export class ReportedLines implements Sink {
  readonly #deps: ReportedLinesDeps;
  readonly #outputs = new Map<string, Output>();
  #heldCount = 0;

  constructor(deps: ReportedLinesDeps) {
    this.#deps = deps;
  }

  isFull(): boolean {
    return this.#deps.sink.isFull();
  }

  take(rows: Partial<Rows>): { readonly refused: number } {
    const { logs } = rows;
    if (logs === undefined || logs.length === 0) return this.#deps.sink.take(rows);
    return this.#deps.sink.take({ ...rows, logs: logs.map((row) => this.#report(row)) });
  }

  /** A line out of a log file. */
  offer(row: LogRow, origin: LogOrigin): void {
    const output = this.#outputOf(origin);
    const nowMs = this.#deps.nowMs();
    if (takeFirst(output.reported, keyOf(row)) !== undefined) return;
    const mayBeReported = nowMs - Math.max(output.reportedAtMs, output.seenAtMs) < knownMs;
    const line = output.instance === '' ? row : { ...row, instance: output.instance };
    if (!mayBeReported || this.#heldCount >= limits.telemetryHeldLinesMax) {
      this.#deps.sink.take({ logs: [line] });
      return;
    }
    put(output.held, keyOf(row), { row: line, untilMs: nowMs + holdMs });
    this.#heldCount++;
  }

  /** Stores what nobody has reported in time; at the end, all of it. */
  release(isEnd = false): void {
    const nowMs = isEnd ? Number.POSITIVE_INFINITY : this.#deps.nowMs();
    const due: LogRow[] = [];
    for (const { held, reported } of this.#outputs.values()) {
      due.push(...takeWhile(held, ({ untilMs }) => untilMs <= nowMs).map(({ row }) => row));
      takeWhile(reported, (atMs) => atMs + knownMs <= nowMs);
    }
    this.#heldCount -= due.length;
    if (due.length > 0) this.#deps.sink.take({ logs: due });
  }

  #report(row: LogRow): LogRow {
    const source = /"log\.iostream":"(stdout|stderr)"/.exec(row.attributes)?.[1];
    if (source === undefined) return row;
    const output = this.#outputOf(originOfInstance(row.instance, row.service));
    output.instance = row.instance;
    output.reportedAtMs = this.#deps.nowMs();
    if (takeFirst(output.held, keyOf(row)) !== undefined) this.#heldCount--;
    else put(output.reported, keyOf(row), output.reportedAtMs);
    return withFacts({ ...row, source: source as 'stdout' | 'stderr' });
  }

  #outputOf({ service, lane }: LogOrigin): Output {
    const name = `${lane} ${service}`;
    const known = this.#outputs.get(name);
    if (known !== undefined) return known;
    const seenAtMs = this.#deps.nowMs();
    const output = {
      held: new Map(),
      reported: new Map(),
      instance: '',
      reportedAtMs: Number.NEGATIVE_INFINITY,
      seenAtMs,
    };
    this.#outputs.set(name, output);
    return output;
  }
}

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

function put<Value>(map: Map<string, Value[]>, text: string, value: Value): void {
  const values = map.get(text);
  if (values === undefined) map.set(text, [value]);
  else values.push(value);
}

function takeFirst<Value>(map: Map<string, Value[]>, text: string): Value | undefined {
  const values = map.get(text);
  const first = values?.shift();
  if (values?.length === 0) map.delete(text);
  return first;
}

/** Values of each text are in the order of their time. */
function takeWhile<Value>(map: Map<string, Value[]>, isDue: (value: Value) => boolean): Value[] {
  const taken: Value[] = [];
  for (const [text, values] of map) {
    const first = values.findIndex((value) => !isDue(value));
    taken.push(...values.splice(0, first < 0 ? values.length : first));
    if (values.length === 0) map.delete(text);
  }
  return taken;
}
