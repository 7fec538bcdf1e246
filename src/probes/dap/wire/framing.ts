import { dapLimits } from '../limits.ts';

/** What a peer sent that is not the protocol. Nothing after it can be understood. */
export class DapFramingError extends Error {}

export function encodeMessage(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

const headerEnd = Buffer.from('\r\n\r\n');

/** Cuts a stream into messages: a header with `Content-Length`, an empty line, and JSON. */
export class DapFrameReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Of the message whose header has been read. */
  #length: number | undefined;

  /** All messages that are complete with this chunk. */
  read(chunk: Buffer): readonly object[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const messages: object[] = [];
    for (let message = this.#next(); message; message = this.#next()) messages.push(message);
    return messages;
  }

  #next(): object | undefined {
    this.#length ??= this.#readHeader();
    // Chunks are joined only when a message is complete: a long one arrives in thousands of them.
    if (this.#length === undefined || this.#bytes < this.#length) return undefined;
    const body = this.#take(this.#length);
    this.#length = undefined;
    return parseMessage(body);
  }

  #readHeader(): number | undefined {
    const start = Buffer.concat(this.#chunks);
    this.#chunks = [start];
    const end = start.indexOf(headerEnd);
    if ((end === -1 ? start.length : end) > dapLimits.dapHeaderBytesMax) {
      throw new DapFramingError(`a header is longer than ${dapLimits.dapHeaderBytesMax} bytes`);
    }
    if (end === -1) return undefined;
    return parseHeader(this.#take(end + headerEnd.length).toString('latin1'));
  }

  #take(length: number): Buffer {
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all.subarray(length)];
    this.#bytes = all.length - length;
    return all.subarray(0, length);
  }
}

function parseHeader(header: string): number {
  const length = /^content-length: *(\d{1,15}) *$/im.exec(header)?.[1];
  if (length === undefined) throw new DapFramingError('a header has no Content-Length');
  if (Number(length) > dapLimits.dapMessageBytesMax) {
    const { dapMessageBytesMax: max } = dapLimits;
    throw new DapFramingError(`a message has ${length} bytes; the limit is ${max}`);
  }
  return Number(length);
}

function parseMessage(body: Buffer): object {
  let message: unknown;
  try {
    message = JSON.parse(body.toString());
  } catch {
    throw new DapFramingError('a message is not JSON');
  }
  if (typeof message !== 'object' || message === null) {
    throw new DapFramingError('a message is not an object');
  }
  return message;
}
