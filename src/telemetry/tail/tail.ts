import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, redactText, sharedLimits, tryOr } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import type { LogRow } from '../rows.ts';
import { signatureOf } from '../signature.ts';
import { readStructured } from '../structured-line.ts';
import { readLine } from './line-facts.ts';
import { lineBytesRead } from './line-splitter.ts';
import { LogFile, type LogPosition } from './log-file.ts';
import { type LogOrigin, originOfLog } from './log-name.ts';
import type { ReportedLines } from './reported-lines.ts';

export interface TailDeps {
  /** The directory of the logs of services. */
  readonly logs: string;
  /** The file that remembers the read positions. */
  readonly places: string;
  readonly lines: ReportedLines;
  readonly clock: Clock;
  /** Until the secrets are known nothing is read, because they could not be removed. */
  readonly isOpen: () => boolean;
  /** Counts what was not stored, and why. */
  readonly count: (what: string, count: number) => void;
}

interface FollowedFile {
  readonly origin: LogOrigin;
  readonly file: LogFile;
  /** Lines that may still be stored in this second. */
  left: number;
}

const lookMsEvery = 250;
const looksPerSecond = 1_000 / lookMsEvery;
const saveEveryLooks = 5 * looksPerSecond;
/** A file as young as this process has not been read by anybody yet. */
const youngMs = 60_000;

/** What services write to their logs, as lines with their service, lane and time. */
export class Tail {
  readonly #deps: TailDeps;
  readonly #files = new Map<string, FollowedFile>();
  readonly #places: Readonly<Record<string, LogPosition>>;
  readonly #timer: NodeJS.Timeout;
  readonly #startedAt: number;
  #looks = 0;

  constructor(deps: TailDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.now();
    this.#places = tryOr(
      () => JSON.parse(readFileSync(deps.places, 'utf8')) as Record<string, LogPosition>,
      {},
    );
    this.#timer = setInterval(() => this.look(), lookMsEvery);
    this.#timer.unref();
  }

  /** Reads all files once. */
  look(): void {
    if (!this.#deps.isOpen()) return;
    this.#follow();
    this.#looks++;
    for (const followed of this.#files.values()) this.#read(followed);
    this.#deps.lines.release();
    if (this.#looks % saveEveryLooks === 0) this.#save();
  }

  close(): void {
    clearInterval(this.#timer);
    this.look();
    this.#deps.lines.release(true);
    this.#save();
  }

  #follow(): void {
    const names = tryOr(() => new Set(readdirSync(this.#deps.logs)), new Set<string>());
    for (const name of this.#files.keys()) if (!names.has(name)) this.#files.delete(name);
    for (const name of names) {
      const origin = this.#files.has(name) ? undefined : originOfLog(name);
      if (origin === undefined) continue;
      const file = new LogFile(join(this.#deps.logs, name), this.#places[name]);
      if (this.#places[name] === undefined && !this.#isYoung(file.path)) file.startAtEnd();
      this.#files.set(name, { origin, file, left: telemetryLimits.telemetryTailLinesPerSecondMax });
    }
  }

  #isYoung(path: string): boolean {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat !== undefined && stat.birthtimeMs > this.#startedAt - youngMs;
  }

  #read(followed: FollowedFile): void {
    const { file, origin } = followed;
    const { lines, skippedBytes, isCut } = file.read();
    if (isCut) this.#deps.count('log files cut before they were read', 1);
    const max = telemetryLimits.telemetryTailLinesPerSecondMax;
    followed.left = Math.min(max, followed.left + max / looksPerSecond);
    const taken = lines.slice(0, Math.floor(followed.left));
    followed.left -= taken.length;
    this.#tellSkipped(origin, lines.length - taken.length, skippedBytes);
    for (const line of taken) this.#deps.lines.offer(this.#rowOf(line, origin), origin);
  }

  #tellSkipped(origin: LogOrigin, lines: number, bytes: number): void {
    if (lines > 0) this.#deps.count('lines skipped', lines);
    if (bytes > 0) this.#deps.count('bytes of lines skipped', bytes);
    if (lines + bytes === 0) return;
    const what = bytes > 0 ? `${bytes} bytes` : `${lines} lines`;
    const text = `${what} of the output of ${origin.service} were not stored: it writes too fast.`;
    this.#deps.lines.offer({ ...this.#rowOf(text, origin), severity: 'warn' }, origin);
  }

  #rowOf(line: string, { service, lane }: LogOrigin): LogRow {
    const text = textOf(line);
    return {
      service,
      instance: '',
      lane,
      atNs: BigInt(this.#deps.clock.now()) * 1_000_000n,
      ...readLine(line),
      text,
      signature: signatureOf(readStructured(text)?.message ?? text),
      source: 'stdout',
      attributes: '{}',
    };
  }

  #save(): void {
    const places = [...this.#files].map(([name, { file }]) => [name, file.place]);
    try {
      writeFileSync(this.#deps.places, JSON.stringify(Object.fromEntries(places)), { mode: 0o600 });
    } catch {
      // A failure only affects which lines are read again.
    }
  }
}

/** The end of a truncated line may be half a secret. */
function textOf(line: string): string {
  const redacted = redactText(line);
  const isWhole = Buffer.byteLength(line) < lineBytesRead;
  const end = isWhole
    ? redacted.length
    : Math.max(0, redacted.length - sharedLimits.secretBytesMax);
  return redacted.slice(0, Math.min(end, telemetryLimits.telemetryTextCharsMax));
}
