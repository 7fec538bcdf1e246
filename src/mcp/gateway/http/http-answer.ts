import { mcpLimits } from '../../limits.ts';
import { ChunkedBody } from './chunked-body.ts';
import { notUnderstood, tooLarge } from './http-doubt.ts';
import { type HttpHead, parseHead } from './http-head.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** Whether the connection may be used for another request. */
  readonly isReusable: boolean;
}

const headBytesMax = 65_536;
const nothing: Buffer = Buffer.alloc(0);

/**
 * Reads one answer of HTTP/1.1 from the bytes of a connection. Strict: what could be understood in
 * two ways is not understood at all, and then nobody knows what became of the call.
 */
export class HttpAnswerReader {
  readonly #bytesMax: number;
  #unread = nothing;
  #head: HttpHead | undefined;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #chunked: ChunkedBody | undefined;

  constructor(bytesMax: number = mcpLimits.upstreamMessageBytesMax) {
    this.#bytesMax = bytesMax;
  }

  /** The answer, as soon as it is complete. */
  take(chunk: Buffer): HttpAnswer | undefined {
    const body = this.#head ? chunk : this.#takeHead(chunk);
    if (!this.#head || !body) return undefined;
    const { length } = this.#head;
    if (length === 'chunked') return this.#takeChunked(body);
    this.#pieces.push(body);
    this.#bytes += body.length;
    if (this.#bytes > this.#bytesMax) throw tooLarge(this.#bytesMax);
    if (length === 'until-closed' || this.#bytes < length) return undefined;
    const all = Buffer.concat(this.#pieces);
    return this.#answer(all.subarray(0, length), this.#bytes === length);
  }

  /** The other side has closed: that is the end of an answer only where nothing else says so. */
  end(): HttpAnswer | undefined {
    if (this.#head?.length !== 'until-closed') return undefined;
    return this.#answer(Buffer.concat(this.#pieces), false);
  }

  /** What comes after the head, once that is complete. */
  #takeHead(chunk: Buffer): Buffer | undefined {
    this.#unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    while (!this.#head) {
      const end = this.#unread.indexOf('\r\n\r\n');
      if ((end < 0 ? this.#unread.length : end) > headBytesMax) {
        throw notUnderstood('its headers do not end');
      }
      if (end < 0) return undefined;
      const head = parseHead(this.#unread.toString('latin1', 0, end));
      this.#unread = this.#unread.subarray(end + 4);
      // Something like "go on", which nobody asked for; the answer follows.
      if (head.status >= 200) this.#head = head;
    }
    return this.#unread;
  }

  #takeChunked(body: Buffer): HttpAnswer | undefined {
    this.#chunked ??= new ChunkedBody(this.#bytesMax);
    const rest = this.#chunked.take(body);
    return rest && this.#answer(this.#chunked.body(), rest.length === 0);
  }

  #answer(body: Buffer, isAll: boolean): HttpAnswer {
    const { status, type, isKept } = this.#head as HttpHead;
    return { status, type, text: body.toString('utf8'), isReusable: isKept && isAll };
  }
}
