/**
 * WebSocket frames as Node's inspector takes and gives them (RFC 6455): whole texts, ours masked.
 *
 * All of ours have one size and one beginning, so that the beginning of the next one can be sent
 * before the next one is known. See `web-socket.ts` for what that is good for.
 */
const payloadBytes = 4_096;
const leadingBlanks = 64;

const text = 0x81;
const masked16BitLength = 0x80 | 126;

export const frameBeginning: Buffer = Buffer.from([
  text,
  masked16BitLength,
  payloadBytes >> 8,
  payloadBytes & 0xff,
  // A mask of zeros changes nothing: it protects proxies of the web, and there is none here.
  ...[0, 0, 0, 0],
  ...Buffer.alloc(leadingBlanks, ' '),
]);

export const frameCapacityBytes: number = payloadBytes - leadingBlanks;

/** What follows the beginning: JSON, filled up with blanks, which mean nothing to JSON. */
export function frameRest(json: string): Buffer {
  const bytes = Buffer.from(json);
  if (bytes.length > frameCapacityBytes) throw new RangeError(`a message of ${bytes.length} bytes`);
  return Buffer.concat([bytes, Buffer.alloc(frameCapacityBytes - bytes.length, ' ')]);
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
