import { decodeHuffman } from './huffman.ts';

export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

export class BrokenHeaders extends Error {}

/** RFC 7541, appendix A: values that no key depends on are left out. */
const staticNames = [
  ':authority',
  ...[':method', ':method', ':path', ':path', ':scheme', ':scheme'],
  ...Array.from({ length: 7 }, () => ':status'),
  ...['accept-charset', 'accept-encoding', 'accept-language', 'accept-ranges', 'accept'],
  ...['access-control-allow-origin', 'age', 'allow', 'authorization', 'cache-control'],
  ...['content-disposition', 'content-encoding', 'content-language', 'content-length'],
  ...['content-location', 'content-range', 'content-type', 'cookie', 'date', 'etag', 'expect'],
  ...['expires', 'from', 'host', 'if-match', 'if-modified-since', 'if-none-match', 'if-range'],
  ...['if-unmodified-since', 'last-modified', 'link', 'location', 'max-forwards'],
  ...['proxy-authenticate', 'proxy-authorization', 'range', 'referer', 'refresh', 'retry-after'],
  ...['server', 'set-cookie', 'strict-transport-security', 'transfer-encoding', 'user-agent'],
  ...['vary', 'via', 'www-authenticate'],
];

const tableBytesDefault = 4_096;
const entryOverheadBytes = 32;
const integerBytesMax = 5;

/** Reads the headers that one side of an HTTP/2 connection sends. It must get all of them. */
export class HpackReader {
  readonly #entries: HeaderField[] = [];
  #bytes = 0;
  #bytesMax = tableBytesDefault;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;

  read(block: Buffer): HeaderField[] {
    this.#block = block;
    this.#at = 0;
    const fields: HeaderField[] = [];
    while (this.#at < block.length) {
      const field = this.#readField(block[this.#at] as number);
      if (field) fields.push(field);
    }
    return fields;
  }

  /** By its leading bits; null for a change of the table's size. */
  #readField(first: number): HeaderField | null {
    if (first & 0x80) return this.#fieldAt(this.#readInteger(7));
    if (first & 0x40) return this.#remember(this.#readLiteral(6));
    if (first & 0x20) {
      this.#bytesMax = this.#readInteger(5);
      this.#evict();
      return null;
    }
    return this.#readLiteral(4);
  }

  #readLiteral(bits: number): HeaderField {
    const index = this.#readInteger(bits);
    const name = index === 0 ? this.#readText() : this.#fieldAt(index).name;
    return { name, value: this.#readText() };
  }

  #fieldAt(index: number): HeaderField {
    const name = staticNames[index - 1];
    const field =
      name === undefined ? this.#entries[index - staticNames.length - 1] : { name, value: '' };
    if (field === undefined) throw new BrokenHeaders(`there is no header at index ${index}`);
    return field;
  }

  #remember(field: HeaderField): HeaderField {
    this.#entries.unshift(field);
    this.#bytes += sizeOf(field);
    this.#evict();
    return field;
  }

  #evict(): void {
    while (this.#bytes > this.#bytesMax) {
      const oldest = this.#entries.pop();
      if (oldest === undefined) return;
      this.#bytes -= sizeOf(oldest);
    }
  }

  #readInteger(bits: number): number {
    const mask = 2 ** bits - 1;
    let value = this.#readByte() & mask;
    if (value < mask) return value;
    for (let power = 0; power < integerBytesMax; power++) {
      const byte = this.#readByte();
      value += (byte & 0x7f) * 128 ** power;
      if (byte < 0x80) return value;
    }
    throw new BrokenHeaders('an integer is too long');
  }

  #readText(): string {
    const isCoded = ((this.#block[this.#at] ?? 0) & 0x80) !== 0;
    const length = this.#readInteger(7);
    const end = this.#at + length;
    if (end > this.#block.length) throw new BrokenHeaders('a text is cut off');
    const bytes = this.#block.subarray(this.#at, end);
    this.#at = end;
    const text = isCoded ? decodeHuffman(bytes) : bytes.toString('latin1');
    if (text === undefined) throw new BrokenHeaders('a text has an unknown code');
    return text;
  }

  #readByte(): number {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw new BrokenHeaders('a header is cut off');
    return byte;
  }
}

function sizeOf({ name, value }: HeaderField): number {
  return name.length + value.length + entryOverheadBytes;
}
