/** The bytes are not a valid message; the sender gets this as its error. */
export class MalformedMessage extends Error {}

/** Cache of earlier texts: the same names and values come with every span. */
const known: string[] = new Array(4_096).fill('');
const knownCharsMax = 32;

/**
 * A known text costs one comparison. It is the same string each time, so a map need not hash it
 * again.
 */
function knownText(bytes: Buffer, at: number, length: number): string {
  let hash = length;
  for (let index = at; index < at + length; index++) {
    hash = (Math.imul(hash, 31) + (bytes[index] as number)) | 0;
  }
  const place = (hash ^ (hash >>> 12)) & (known.length - 1);
  const candidate = known[place] as string;
  if (isSame(candidate, bytes, at, length)) return candidate;
  const text = bytes.toString('utf8', at, at + length);
  known[place] = text;
  return text;
}

/** Only ASCII can match here: other texts have fewer characters than bytes. */
function isSame(text: string, bytes: Buffer, at: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let index = 0; index < length; index++) {
    const byte = bytes[at + index] as number;
    if (byte > 0x7f || text.charCodeAt(index) !== byte) return false;
  }
  return true;
}

/** Reads the field with this tag into a draft, or skips it. */
export type ReadField<Draft> = (reader: ProtoReader, tag: number, draft: Draft) => void;

/**
 * Reads protobuf fields in place. Only requested data is copied, and no length is trusted: reading
 * beyond the end of a message is an error.
 */
export class ProtoReader {
  readonly #bytes: Buffer;
  /** The end of the message that is being read. */
  end: number;
  position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.end = bytes.length;
  }

  get isDone(): boolean {
    return this.position >= this.end;
  }

  /** Number and wire type of the next field, in one encoded value. */
  tag(): number {
    const tag = this.uint32();
    if (tag >>> 3 === 0) throw new MalformedMessage('a field has the number 0');
    return tag;
  }

  uint32(): number {
    const bytes = this.#bytes;
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.position >= this.end) throw tooShort();
      const byte = bytes[this.position++] as number;
      if (shift < 35) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new MalformedMessage('a number has more than 10 bytes');
  }

  /** 64 bits; numbers that a double cannot hold exactly become digits. */
  int64(): number | string {
    const bytes = this.#bytes;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.position >= this.end) throw tooShort();
      const byte = bytes[this.position++] as number;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) return exactly(high, low >>> 0);
    }
    throw new MalformedMessage('a number has more than 10 bytes');
  }

  sint32(): number {
    const value = this.uint32();
    return (value >>> 1) ^ -(value & 1);
  }

  fixed32(): number {
    const at = this.#take(4);
    return this.#bytes.readUInt32LE(at);
  }

  fixed64(): bigint {
    const at = this.#take(8);
    return this.#bytes.readBigUInt64LE(at);
  }

  sfixed64(): number | string {
    const at = this.#take(8);
    return exactly(this.#bytes.readInt32LE(at + 4), this.#bytes.readUInt32LE(at));
  }

  double(): number {
    const at = this.#take(8);
    return this.#bytes.readDoubleLE(at);
  }

  text(): string {
    const length = this.uint32();
    const at = this.#take(length);
    if (length > knownCharsMax) return this.#bytes.toString('utf8', at, at + length);
    return knownText(this.#bytes, at, length);
  }

  hex(): string {
    const length = this.uint32();
    const at = this.#take(length);
    return this.#bytes.toString('hex', at, at + length);
  }

  base64(bytesMax: number): string {
    const length = this.uint32();
    const at = this.#take(length);
    return this.#bytes.toString('base64', at, at + Math.min(length, bytesMax));
  }

  /** Reads a whole message, field by field. */
  fields<Draft>(draft: Draft, readField: ReadField<Draft>): void {
    while (!this.isDone) readField(this, this.tag(), draft);
  }

  /** Reads the next embedded message into a draft. */
  message<Draft>(draft: Draft, readField: ReadField<Draft>): Draft {
    const outer = this.enter();
    this.fields(draft, readField);
    this.leave(outer);
    return draft;
  }

  /** Opens the next embedded message; its result is passed to `leave`, which closes it. */
  enter(): number {
    const length = this.uint32();
    const outer = this.end;
    const end = this.position + length;
    if (end > outer) throw tooShort();
    this.end = end;
    return outer;
  }

  leave(outer: number): void {
    this.position = this.end;
    this.end = outer;
  }

  skip(tag: number): void {
    switch (tag & 7) {
      case 0:
        this.int64();
        return;
      case 1:
        this.#take(8);
        return;
      case 2:
        this.#take(this.uint32());
        return;
      case 5:
        this.#take(4);
        return;
      default:
        throw new MalformedMessage(`a field has the unknown wire type ${tag & 7}`);
    }
  }

  #take(length: number): number {
    const at = this.position;
    if (length > this.end - at) throw tooShort();
    this.position = at + length;
    return at;
  }
}

function tooShort(): MalformedMessage {
  return new MalformedMessage('it ends in the middle of a field');
}

function exactly(high: number, low: number): number | string {
  const value = (high | 0) * 4_294_967_296 + low;
  if (Number.isSafeInteger(value)) return value;
  return ((BigInt(high | 0) << 32n) + BigInt(low)).toString();
}
