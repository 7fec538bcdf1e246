/** Writes as much of protocol buffers as OTLP needs. */
export class ProtoWriter {
  #bytes = Buffer.allocUnsafe(1_024);
  #length = 0;

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  text(field: number, value: string): this {
    return value === '' ? this : this.bytes(field, Buffer.from(value, 'utf8'));
  }

  bytes(field: number, value: Uint8Array): this {
    this.#varint(field * 8 + 2);
    this.#varint(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  /** A nested message; empty ones are written, too, since some have a meaning. */
  message(field: number, write: (inner: ProtoWriter) => void): this {
    const inner = new ProtoWriter();
    write(inner);
    return this.bytes(field, inner.finish());
  }

  number(field: number, value: number): this {
    if (value === 0) return this;
    this.#varint(field * 8);
    this.#varint(value);
    return this;
  }

  /** A signed integer of 64 bits. */
  integer(field: number, value: number): this {
    this.#varint(field * 8);
    let left = BigInt.asUintN(64, BigInt(value));
    for (; left > 0x7fn; left >>= 7n) this.#byte(Number(left & 0x7fn) | 0x80);
    this.#byte(Number(left));
    return this;
  }

  fixed64(field: number, value: bigint): this {
    this.#varint(field * 8 + 1);
    this.#reserve(8);
    this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), this.#length);
    this.#length += 8;
    return this;
  }

  double(field: number, value: number): this {
    this.#varint(field * 8 + 1);
    this.#reserve(8);
    this.#bytes.writeDoubleLE(value, this.#length);
    this.#length += 8;
    return this;
  }

  packedDoubles(field: number, values: readonly number[]): this {
    const packed = Buffer.alloc(values.length * 8);
    for (const [index, value] of values.entries()) packed.writeDoubleLE(value, index * 8);
    return this.bytes(field, packed);
  }

  packedFixed64(field: number, values: readonly bigint[]): this {
    const packed = Buffer.alloc(values.length * 8);
    for (const [index, value] of values.entries())
      packed.writeBigUInt64LE(BigInt.asUintN(64, value), index * 8);
    return this.bytes(field, packed);
  }

  #varint(value: number): void {
    let left = value;
    for (; left > 0x7f; left = Math.floor(left / 128)) this.#byte((left % 128) | 0x80);
    this.#byte(left);
  }

  #byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
