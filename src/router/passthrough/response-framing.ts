import {
  type BodyFraming,
  BrokenFraming,
  ChunkedFraming,
  LengthFraming,
  UntilCloseFraming,
} from './body-framing.ts';

const headBytesMax = 256 * 1024;
const headEnd = '\r\n\r\n';
const statusLine = /^HTTP\/1\.([01]) (\d{3})(?: |\r\n)/;
const named = /\r\n(content-length|transfer-encoding|connection):[ \t]*([^\r\n]*)/gi;

/** Where the response to one request ends, interim responses included. */
export class ResponseFraming {
  readonly #isToHead: boolean;
  #head: Buffer | null = null;
  #body: BodyFraming | null = null;
  #isDone = false;
  #closes = false;

  constructor(isToHead: boolean) {
    this.#isToHead = isToHead;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** The service closes the connection after it. */
  get closes(): boolean {
    return this.#closes;
  }

  /** It is complete when the service closes the connection. */
  get endsWithConnection(): boolean {
    return this.#body instanceof UntilCloseFraming;
  }

  /** How many of these bytes belong to the response. Throws when the framing is broken. */
  take(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && !this.#isDone) {
      at += this.#body ? this.#takeBody(bytes.subarray(at)) : this.#takeHead(bytes.subarray(at));
    }
    return at;
  }

  #takeBody(bytes: Buffer): number {
    const taken = this.#body?.take(bytes) ?? 0;
    this.#isDone = this.#body?.isDone === true;
    return taken;
  }

  #takeHead(bytes: Buffer): number {
    const before = this.#head?.length ?? 0;
    const all = this.#head ? Buffer.concat([this.#head, bytes]) : bytes;
    const blank = all.indexOf(headEnd);
    if (blank < 0) {
      if (all.length > headBytesMax) throw new BrokenFraming('the head of a response is too long');
      this.#head = all;
      return bytes.length;
    }
    this.#head = null;
    this.#begin(all.toString('latin1', 0, blank + headEnd.length));
    return blank + headEnd.length - before;
  }

  #begin(head: string): void {
    const [, minor, digits] = statusLine.exec(head) ?? [];
    const status = Number(digits);
    if (digits === undefined) throw new BrokenFraming('a response has no status line');
    if (status >= 100 && status < 200 && status !== 101) return;
    this.#body = this.#bodyOf(head, status);
    // HTTP/1.0 keeps a connection only where it says so.
    if (minor === '0') this.#closes = true;
    this.#isDone = this.#body.isDone;
  }

  #bodyOf(head: string, status: number): BodyFraming {
    let body: BodyFraming | undefined;
    for (const [, name = '', value = ''] of head.matchAll(named)) {
      const lower = name.toLowerCase();
      if (lower === 'connection') this.#closes ||= /\bclose\b/i.test(value);
      else if (lower === 'transfer-encoding') {
        body = /\bchunked[ \t]*$/i.test(value) ? new ChunkedFraming() : new UntilCloseFraming();
      } else if (!(body instanceof ChunkedFraming)) body = new LengthFraming(lengthOf(value));
    }
    if (this.#isToHead || status === 204 || status === 304) return new LengthFraming(0);
    if (status === 101) return new UntilCloseFraming();
    return body ?? new UntilCloseFraming();
  }
}

function lengthOf(value: string): number {
  if (!/^\d{1,15}[ \t]*$/.test(value)) throw new BrokenFraming('a response has no valid length');
  return Number(value);
}
