/** Where the body of an HTTP/1.1 message ends in the bytes of its connection. */
export interface BodyFraming {
  readonly isDone: boolean;
  /** How many of these bytes belong to the body. Throws when the framing is broken. */
  take(bytes: Buffer): number;
}

export class BrokenFraming extends Error {}

export class LengthFraming implements BodyFraming {
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  get isDone(): boolean {
    return this.#left === 0;
  }

  take(bytes: Buffer): number {
    const taken = Math.min(this.#left, bytes.length);
    this.#left -= taken;
    return taken;
  }
}

/** A response without a length ends with its connection. */
export class UntilCloseFraming implements BodyFraming {
  readonly isDone = false;

  take({ length }: Buffer): number {
    return length;
  }
}

const sizeLine = /^([0-9A-Fa-f]{1,12})[ \t]*(?:;[^\r\n]*)?\r\n$/;
const lineCharactersMax = 16 * 1024;
const lineFeed = 0x0a;

export class ChunkedFraming implements BodyFraming {
  #expects: 'size' | 'data' | 'line end' | 'trailer' | 'nothing' = 'size';
  #left = 0;
  #line = '';

  get isDone(): boolean {
    return this.#expects === 'nothing';
  }

  take(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && !this.isDone) {
      at = this.#expects === 'data' ? this.#skip(bytes, at) : this.#readLine(bytes, at);
    }
    return at;
  }

  #skip({ length }: Buffer, at: number): number {
    const taken = Math.min(this.#left, length - at);
    this.#left -= taken;
    if (this.#left === 0) this.#expects = 'line end';
    return at + taken;
  }

  #readLine(bytes: Buffer, at: number): number {
    const feed = bytes.indexOf(lineFeed, at);
    const end = feed < 0 ? bytes.length : feed + 1;
    this.#line += bytes.toString('latin1', at, end);
    if (this.#line.length > lineCharactersMax) throw new BrokenFraming('a line is too long');
    if (feed >= 0) {
      const line = this.#line;
      this.#line = '';
      this.#endLine(line);
    }
    return end;
  }

  #endLine(line: string): void {
    if (this.#expects === 'trailer') {
      if (line === '\r\n') this.#expects = 'nothing';
    } else if (this.#expects === 'line end') {
      if (line !== '\r\n') throw new BrokenFraming('a chunk is longer than its size');
      this.#expects = 'size';
    } else {
      const [, digits] = sizeLine.exec(line) ?? [];
      if (digits === undefined) throw new BrokenFraming('a chunk has no size');
      this.#left = Number.parseInt(digits, 16);
      this.#expects = this.#left === 0 ? 'trailer' : 'data';
    }
  }
}
