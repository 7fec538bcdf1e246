import { type Json, tryOr } from '../../kernel/index.ts';

const prefixBytes = 5;

/** The messages of a gRPC body: one as it is, several as a list; null where it can't be read. */
export function readGrpcBody(body: Buffer): Json {
  const messages: Json[] = [];
  for (let at = 0; at < body.length; ) {
    if (at + prefixBytes > body.length) return null;
    const end = at + prefixBytes + body.readUInt32BE(at + 1);
    // Compressed, or cut off: a part of it would have another shape than the whole.
    if (body[at] !== 0 || end > body.length) return null;
    messages.push(readMessage(body.subarray(at + prefixBytes, end)));
    at = end;
  }
  return messages.length > 1 ? messages : (messages[0] ?? null);
}

/** Some send JSON in place of protobuf. */
function readMessage(bytes: Buffer): Json {
  const [first] = bytes;
  if (first === openBrace || first === openBracket) {
    try {
      return JSON.parse(bytes.toString('utf8')) as Json;
    } catch {
      // A message of which the first byte looks so.
    }
  }
  return readWireMessage(bytes);
}

const openBrace = 0x7b;
const openBracket = 0x5b;

/** The maximum depth of a message; anything deeper is given as bytes. */
const depthMax = 12;

/**
 * A protobuf message without its schema, from the wire format alone: fields by their number, each
 * as a list, since a single field cannot be told from a repeated one. Null for bytes that are not a
 * message.
 */
function readWireMessage(bytes: Buffer, depth: number = 0): Record<string, Json[]> | null {
  const fields: Record<string, Json[]> = {};
  const reader = new WireReader(bytes);
  while (!reader.isAtEnd) {
    const field = reader.field();
    if (field === null) return null;
    const value = field.bytes === null ? field.value : toldBytes(field.bytes, depth);
    if (value === undefined) continue;
    const list = fields[field.number] ?? [];
    fields[field.number] = list;
    list.push(value);
  }
  return fields;
}

/** What is empty may be a text, a list or a message; then it is as good as not there. */
function toldBytes(bytes: Buffer, depth: number): Json | undefined {
  if (bytes.length === 0) return undefined;
  const text = tryOr(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes), null);
  // Tags of the first fields are control characters: a text without any is none of a message.
  if (text !== null && !hasControls(text)) return text;
  const message = depth < depthMax ? readWireMessage(bytes, depth + 1) : null;
  return message ?? text ?? { bytes: bytes.length };
}

function hasControls(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < 32) return true;
  return false;
}

interface WireField {
  readonly number: number;
  readonly value: Json;
  /** Of a field with a length; null for a number. */
  readonly bytes: Buffer | null;
}

class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Null where the bytes do not go on as a message would. */
  field(): WireField | null {
    const tag = this.#varint();
    if (tag === null || tag > 0xffff_ffffn) return null;
    const number = Number(tag >> 3n);
    if (number === 0) return null;
    const type = Number(tag & 7n);
    if (type === 2) return this.#counted(number);
    const value = type === 0 ? toJson(this.#varint()) : this.#fixed(type);
    return value === null ? null : { number, value, bytes: null };
  }

  #counted(number: number): WireField | null {
    const length = this.#varint();
    if (length === null || length > this.#bytes.length - this.#at) return null;
    const from = this.#at;
    this.#at += Number(length);
    return { number, value: null, bytes: this.#bytes.subarray(from, this.#at) };
  }

  /** Told apart from each other and from other numbers: to readers they are other types. */
  #fixed(type: number): Json {
    const size = type === 1 ? 8 : type === 5 ? 4 : 0;
    if (size === 0 || this.#at + size > this.#bytes.length) return null;
    const at = this.#at;
    this.#at += size;
    if (size === 4) return { fixed32: finite(this.#bytes.readFloatLE(at)) };
    return { fixed64: finite(this.#bytes.readDoubleLE(at)) };
  }

  #varint(): bigint | null {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) return null;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    return null;
  }
}

function toJson(value: bigint | null): Json {
  return value === null ? null : Number(value);
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}
