/** WebSocket frames of Node's inspector (RFC 6455): whole texts, ours masked. */
const text = 0x81;
const isMasked = 0x80;
const shortMax = 125;
const mediumMax = 0xffff;

/** A mask of zeros changes nothing: it protects proxies of the web, and there is none here. */
const mask = [0, 0, 0, 0];

export function encodeFrame(json: string): Buffer {
  const payload = Buffer.from(json);
  return Buffer.concat([Buffer.from([text, ...lengthBytes(payload.length), ...mask]), payload]);
}

function lengthBytes(length: number): readonly number[] {
  if (length <= shortMax) return [isMasked | length];
  const isMedium = length <= mediumMax;
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return [isMasked | (isMedium ? 126 : 127), ...bytes.subarray(isMedium ? 6 : 0)];
}

/** Puts chunks together; copies them only once a whole frame is there. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #wanted = 2;

  /** The texts that are complete with this chunk; null is the other side's farewell. */
  *read(chunk: Buffer): Generator<string | null> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes >= this.#wanted) {
      const frame = parseFrame(this.#gather());
      this.#wanted = frame.end;
      if (frame.payload === undefined) continue;
      this.#drop(frame.end);
      yield frame.payload;
    }
  }

  #gather(): Buffer {
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#chunks = [all as Buffer];
    return all as Buffer;
  }

  #drop(end: number): void {
    this.#chunks = [this.#gather().subarray(end)];
    this.#bytes -= end;
    this.#wanted = 2;
  }
}

interface Frame {
  /** Where it ends, as far as its header is known: so many bytes have to be there. */
  readonly end: number;
  readonly payload?: string | null;
}

function parseFrame(bytes: Buffer): Frame {
  const short = (bytes[1] as number) & 0x7f;
  const start = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < start) return { end: start };
  const end = start + lengthOf(bytes, short);
  if (bytes.length < end) return { end };
  return { end, payload: bytes[0] === text ? bytes.toString('utf8', start, end) : null };
}

function lengthOf(bytes: Buffer, short: number): number {
  if (short === 127) return Number(bytes.readBigUInt64BE(2));
  return short === 126 ? bytes.readUInt16BE(2) : short;
}
