import { notUnderstood, tooLarge } from './http-doubt.ts';

const lineCharsMax = 8_192;

/** A body in pieces, each after its size; the last one is empty, and lines may follow it. */
export class ChunkedBody {
  /** Copied together: a piece of one byte must not cost a hundred. */
  #room: Buffer = Buffer.alloc(0);
  #filled = 0;
  readonly #bytesMax: number;
  #bytes = 0;
  #left = 0;
  #line = '';
  #expects: 'size' | 'piece' | 'end of piece' | 'trailer' = 'size';

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** What comes after the body, once that is complete. */
  take(more: Buffer): Buffer | undefined {
    let rest = more;
    while (rest.length > 0) {
      if (this.#expects === 'piece') {
        rest = this.#takePiece(rest);
        continue;
      }
      const end = rest.indexOf('\n');
      this.#line += rest.toString('latin1', 0, end < 0 ? rest.length : end + 1);
      if (this.#line.length > lineCharsMax) throw notUnderstood('one of its lines does not end');
      if (end < 0) return undefined;
      rest = rest.subarray(end + 1);
      if (this.#takeLine()) return rest;
    }
    return undefined;
  }

  body(): Buffer {
    return this.#room.subarray(0, this.#filled);
  }

  #takePiece(from: Buffer): Buffer {
    const piece = from.subarray(0, this.#left);
    this.#makeRoom(this.#filled + piece.length);
    this.#filled += piece.copy(this.#room, this.#filled);
    this.#left -= piece.length;
    if (this.#left === 0) this.#expects = 'end of piece';
    return from.subarray(piece.length);
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#room.length) return;
    const larger = Buffer.allocUnsafe(Math.max(bytes, 2 * this.#room.length));
    this.#room.copy(larger, 0, 0, this.#filled);
    this.#room = larger;
  }

  /** Tells whether it was the last one. */
  #takeLine(): boolean {
    if (!this.#line.endsWith('\r\n')) throw notUnderstood('one of its lines has no proper end');
    const line = this.#line.slice(0, -2);
    this.#line = '';
    if (this.#expects === 'trailer') return line === '';
    if (this.#expects === 'size') this.#takeSize(line);
    else if (line === '') this.#expects = 'size';
    else throw notUnderstood('a piece is longer than it says');
    return false;
  }

  #takeSize(line: string): void {
    const [, digits] = /^([\da-f]{1,8})[ \t]*(?:;|$)/i.exec(line) ?? [];
    if (digits === undefined) throw notUnderstood('the size of a piece is no number');
    this.#left = Number.parseInt(digits, 16);
    this.#bytes += this.#left;
    if (this.#bytes > this.#bytesMax) throw tooLarge(this.#bytesMax);
    this.#expects = this.#left === 0 ? 'trailer' : 'piece';
  }
}
