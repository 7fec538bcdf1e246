import { mcpLimits } from '../../limits.ts';

/** So many are put together: a piece of one byte must not cost a hundred. */
const newPiecesMax = 1_024;

/** Lines of a stream of bytes, without their ends. */
export class LineReader {
  readonly #decoder = new TextDecoder();
  readonly #bytesMax: number;
  #pieces: string[] = [];
  #newPieces: string[] = [];
  #bytes = 0;
  #endedInReturn = false;

  constructor(bytesMax: number = mcpLimits.upstreamMessageBytesMax) {
    this.#bytesMax = bytesMax;
  }

  /** How much of a line that has not ended yet is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Throws a `RangeError` when a line is too long. */
  *take(chunk: Uint8Array): Generator<string> {
    const text = this.#withPlainEnds(this.#decoder.decode(chunk, { stream: true }));
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#keep(text.slice(start, end));
      start = end + 1;
      yield this.#line();
    }
    if (start < text.length) this.#keep(text.slice(start));
  }

  /** What comes after the last end of a line. */
  rest(): string {
    return this.#line();
  }

  /** A line may end in `\r\n`, `\n` or `\r`, and a chunk in between. */
  #withPlainEnds(text: string): string {
    const rest = this.#endedInReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.#endedInReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }

  #keep(piece: string): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#bytesMax) {
      throw new RangeError(`one of its messages is larger than ${this.#bytesMax} bytes`);
    }
    this.#newPieces.push(piece);
    if (this.#newPieces.length < newPiecesMax) return;
    this.#pieces.push(this.#newPieces.join(''));
    this.#newPieces = [];
  }

  #line(): string {
    const line = [...this.#pieces, ...this.#newPieces].join('');
    this.#pieces = [];
    this.#newPieces = [];
    this.#bytes = 0;
    return line;
  }
}
