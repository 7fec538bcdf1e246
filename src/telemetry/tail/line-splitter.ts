import { sharedLimits } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';

/** More than the text of a row, because a secret may extend beyond its end. */
export const lineBytesRead: number =
  telemetryLimits.telemetryTextCharsMax + sharedLimits.secretBytesMax;

/** Splits bytes into lines as they arrive, whatever they contain. */
export class LineSplitter {
  readonly #lineBytesMax: number;
  #rest: Buffer = Buffer.alloc(0);
  /** The rest of a line that was too long is skipped. */
  #isSkipping = false;

  constructor(lineBytesMax: number = lineBytesRead) {
    this.#lineBytesMax = lineBytesMax;
  }

  split(bytes: Buffer): string[] {
    const whole = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const lines: string[] = [];
    let from = 0;
    for (let end = whole.indexOf(10); end >= 0; end = whole.indexOf(10, from)) {
      if (!this.#isSkipping) this.#add(lines, whole.subarray(from, end));
      this.#isSkipping = false;
      from = end + 1;
    }
    this.#keep(lines, whole.subarray(from));
    return lines;
  }

  /** The last line without an end, as when a writer stopped in the middle of it. */
  takeRest(): string[] {
    const lines: string[] = [];
    if (!this.#isSkipping) this.#add(lines, this.#rest);
    this.#isSkipping = this.#isSkipping || this.#rest.length > 0;
    this.#rest = Buffer.alloc(0);
    return lines;
  }

  get hasRest(): boolean {
    return this.#rest.length > 0;
  }

  /** The next bytes do not continue the current line, but begin somewhere within a line. */
  skip(): void {
    this.#rest = Buffer.alloc(0);
    this.#isSkipping = true;
  }

  #keep(lines: string[], rest: Buffer): void {
    if (!this.#isSkipping && rest.length > this.#lineBytesMax) {
      this.#add(lines, rest);
      this.#isSkipping = true;
    }
    // A copy, because a part would keep the whole buffer in memory.
    this.#rest = this.#isSkipping ? Buffer.alloc(0) : Buffer.from(rest);
  }

  #add(lines: string[], bytes: Buffer): void {
    const text = bytes.subarray(0, this.#lineBytesMax).toString('utf8').replace(/\r$/, '');
    if (text !== '') lines.push(text);
  }
}
