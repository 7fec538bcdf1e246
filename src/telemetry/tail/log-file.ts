import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { sharedLimits } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import { LineSplitter } from './line-splitter.ts';

/** The last bytes that were read, which find the position again in a truncated file. */
const markBytesMax = 256;

export interface LogPosition {
  readonly inode: number;
  readonly offset: number;
  /** In base64. */
  readonly mark: string;
}

export interface FileLines {
  readonly lines: readonly string[];
  /** Bytes that were skipped because they came too fast. */
  readonly skippedBytes: number;
  /** Whether some were truncated before they could be read. */
  readonly isCut: boolean;
}

const nothing: FileLines = { lines: [], skippedBytes: 0, isCut: false };

/** Reads what was added to a log file since the last read. */
export class LogFile {
  readonly path: string;
  readonly #splitter = new LineSplitter();
  #inode = 0;
  #offset = 0;
  #mark: Buffer = Buffer.alloc(0);
  #isQuiet = false;

  constructor(path: string, place?: LogPosition) {
    this.path = path;
    if (place === undefined) return;
    this.#inode = place.inode;
    this.#offset = place.offset;
    this.#mark = Buffer.from(place.mark, 'base64');
  }

  get place(): LogPosition {
    return { inode: this.#inode, offset: this.#offset, mark: this.#mark.toString('base64') };
  }

  /** Starts at the end: earlier content was written before anybody was interested. */
  startAtEnd(): void {
    this.#withFile((descriptor, { size, ino }) => {
      this.#inode = ino;
      this.#goTo(descriptor, size);
      return nothing;
    });
  }

  read(): FileLines {
    return this.#withFile((descriptor, { size, ino }) => {
      const isCut = !this.#findPlace(descriptor, { size, ino });
      const skippedBytes = this.#skipFar(descriptor, size);
      const bytes = Buffer.alloc(
        Math.min(size - this.#offset, telemetryLimits.telemetryTailBytesMax),
      );
      const length = readSync(descriptor, bytes, 0, bytes.length, this.#offset);
      if (length === 0) return { lines: this.#rest(), skippedBytes, isCut };
      this.#isQuiet = false;
      this.#advance(bytes.subarray(0, length));
      const lines = this.#splitter.split(bytes.subarray(0, length));
      return { lines, skippedBytes, isCut };
    });
  }

  /** A line without an end is returned if nothing followed it until the next read. */
  #rest(): string[] {
    const isDue = this.#isQuiet && this.#splitter.hasRest;
    this.#isQuiet = true;
    return isDue ? this.#splitter.takeRest() : [];
  }

  /** Goes to the last position; false if that no longer exists and everything is new. */
  #findPlace(descriptor: number, { size, ino }: { size: number; ino: number }): boolean {
    if (ino !== this.#inode) {
      this.#inode = ino;
      this.#goTo(descriptor, 0);
      return true;
    }
    if (this.#offset <= size && this.#isAt(descriptor, this.#offset)) return true;
    // The file was truncated to its newer half, so the position is now at a smaller offset.
    const found = this.#search(descriptor, size);
    if (found !== undefined) {
      this.#offset = found;
      return true;
    }
    this.#splitter.skip();
    this.#goTo(descriptor, 0);
    return false;
  }

  #isAt(descriptor: number, offset: number): boolean {
    const { length } = this.#mark;
    const there = Buffer.alloc(length);
    const read = readSync(descriptor, there, 0, length, Math.max(0, offset - length));
    return read === length && there.equals(this.#mark);
  }

  #search(descriptor: number, size: number): number | undefined {
    if (this.#mark.length === 0) return undefined;
    const bytes = Buffer.alloc(Math.min(size, sharedLimits.logFileBytesMax));
    const from = size - bytes.length;
    const length = readSync(descriptor, bytes, 0, bytes.length, from);
    const at = bytes.subarray(0, length).lastIndexOf(this.#mark);
    return at < 0 ? undefined : from + at + this.#mark.length;
  }

  /** If a file grows faster than it is read, parts are skipped up to the newest. */
  #skipFar(descriptor: number, size: number): number {
    const behind = size - this.#offset;
    if (behind <= telemetryLimits.telemetryTailBehindBytesMax) return 0;
    const offset = size - telemetryLimits.telemetryTailBytesMax;
    const skipped = offset - this.#offset;
    this.#splitter.skip();
    this.#goTo(descriptor, offset);
    return skipped;
  }

  #goTo(descriptor: number, offset: number): void {
    this.#offset = offset;
    const mark = Buffer.alloc(Math.min(offset, markBytesMax));
    readSync(descriptor, mark, 0, mark.length, offset - mark.length);
    this.#mark = mark;
  }

  #advance(bytes: Buffer): void {
    this.#offset += bytes.length;
    const joined = bytes.length >= markBytesMax ? bytes : Buffer.concat([this.#mark, bytes]);
    this.#mark = Buffer.from(joined.subarray(-markBytesMax));
  }

  #withFile(
    look: (descriptor: number, stat: { size: number; ino: number }) => FileLines,
  ): FileLines {
    let descriptor: number;
    try {
      descriptor = openSync(this.path, 'r');
    } catch {
      // The file was removed, or is about to be: closed lanes lose their logs.
      return nothing;
    }
    try {
      const stat = fstatSync(descriptor);
      return stat.isFile() ? look(descriptor, stat) : nothing;
    } finally {
      closeSync(descriptor);
    }
  }
}
