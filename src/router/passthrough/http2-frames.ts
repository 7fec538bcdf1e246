import { BrokenFraming } from './body-framing.ts';

/** The header of a frame, and its payload if it was asked for. */
export interface Http2Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer | null;
}

export const frameTypes = { data: 0, headers: 1, ping: 6, goaway: 7, continuation: 9 } as const;
export const frameFlags = { ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;
/** How long the beginning of every connection is, on the caller's side. */
export const prefaceBytes = 24;

/** The highest number of a stream. */
export const highestStream = 0x7fff_ffff;

const headerBytes = 9;
const wholeBytesMax = 1024 * 1024;

export interface FrameVisitor {
  /** Types of frames that are held back until they are complete. */
  readonly whole: ReadonlySet<number>;
  /** False when the frame is not to be passed on. */
  visit(frame: Http2Frame): boolean;
  pass(bytes: Buffer): void;
}

/** Passes on the bytes of one direction of a connection, and looks at its frames on the way. */
export class FrameWalker {
  readonly #visitor: FrameVisitor;
  #held: Buffer | null = null;
  /** Bytes of the present frame that have not come yet. */
  #left: number;
  #isDropped = false;

  constructor(visitor: FrameVisitor, skippedBytes = 0) {
    this.#visitor = visitor;
    this.#left = skippedBytes;
  }

  /** What was passed on ends with a whole frame. */
  get isBetweenFrames(): boolean {
    return this.#left === 0;
  }

  take(chunk: Buffer): void {
    const bytes = this.#held ? Buffer.concat([this.#held, chunk]) : chunk;
    this.#held = null;
    let at = Math.min(this.#left, bytes.length);
    let from = this.#isDropped ? at : 0;
    this.#left -= at;
    while (bytes.length - at >= headerBytes) {
      const end = at + headerBytes + bytes.readUIntBE(at, 3);
      const isWhole = this.#visitor.whole.has(bytes[at + 3] as number);
      if (isWhole && end - at > wholeBytesMax) throw new BrokenFraming('a frame is too long');
      if (isWhole && end > bytes.length) break;
      this.#isDropped = !this.#visitor.visit(frameAt(bytes, at, isWhole ? end : null));
      const next = Math.min(end, bytes.length);
      if (this.#isDropped) {
        this.#pass(bytes.subarray(from, at));
        from = next;
      }
      this.#left = end - next;
      at = next;
    }
    this.#pass(bytes.subarray(from, at));
    if (at < bytes.length) this.#held = bytes.subarray(at);
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0) this.#visitor.pass(bytes);
  }
}

function frameAt(bytes: Buffer, at: number, end: number | null): Http2Frame {
  return {
    type: bytes[at + 3] as number,
    flags: bytes[at + 4] as number,
    stream: bytes.readUInt32BE(at + 5) & highestStream,
    payload: end === null ? null : bytes.subarray(at + headerBytes, end),
  };
}

export function makeFrame(type: number, flags: number, payload: Buffer): Buffer {
  const frame = Buffer.alloc(headerBytes + payload.length);
  frame.writeUIntBE(payload.length, 0, 3);
  frame[3] = type;
  frame[4] = flags;
  payload.copy(frame, headerBytes);
  return frame;
}

/** Asks the caller to open no more streams; those after `last` were not processed. */
export function goaway(last: number): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeUInt32BE(last, 0);
  return makeFrame(frameTypes.goaway, 0, payload);
}

/** The block of headers in a HEADERS frame, without padding and priority. */
export function headerBlock({ flags, payload }: Http2Frame): Buffer {
  const all = payload as Buffer;
  const padding = flags & frameFlags.padded ? (all[0] ?? 0) : 0;
  const before = (flags & frameFlags.padded ? 1 : 0) + (flags & frameFlags.priority ? 5 : 0);
  return all.subarray(before, all.length - padding);
}
