'use strict';

const { field } = require('./field.cjs');
const { lengthOfVarint, putBytes, putVarint } = require('./wire.cjs');

const bytesAtFirst = 16 * 1024;
/** A little more than is sent at once. */
const bytesKept = 128 * 1024;
/** For the head of the HTTP request and the lengths, in front of what is collected. */
const headBytesMax = 320;

/** One request to the receiver, filled item by item in the place that it is sent from. */
class Batch {
  constructor({ path, host, front, bytesMax }) {
    this.bytesMax = bytesMax;
    this.front = front;
    this.lines = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/x-protobuf\r\n`;
    this.start = headBytesMax + front.resource.length + front.scope.length;
    this.bytes = Buffer.allocUnsafeSlow(Math.min(bytesAtFirst, bytesMax));
    this.clear();
  }

  /** Empty again; what it grew to while nobody took anything is given back. */
  clear() {
    if (this.bytes.length > bytesKept) this.bytes = Buffer.allocUnsafeSlow(bytesAtFirst);
    this.at = this.start;
    this.count = 0;
  }

  get size() {
    return this.at - this.start;
  }

  /** Whether an item of so many bytes may be put in. */
  hasRoom(length) {
    return this.at + length <= this.bytes.length || this.#grow(this.at + length);
  }

  #grow(wanted) {
    if (wanted > this.bytesMax) return false;
    const bytes = Buffer.allocUnsafeSlow(
      Math.min(this.bytesMax, Math.max(wanted, this.bytes.length * 2)),
    );
    this.bytes.copy(bytes, 0, 0, this.at);
    this.bytes = bytes;
    return true;
  }

  /** The whole request, in the same bytes: traces, logs and metrics have the same numbers here. */
  close() {
    const { resource, scope } = this.front;
    const inner = scope.length + this.size;
    const outer = resource.length + 1 + lengthOfVarint(inner) + inner;
    const length = 1 + lengthOfVarint(outer) + outer;
    const head = Buffer.from(`${this.lines}content-length: ${length}\r\n\r\n`, 'latin1');
    const end = this.at;
    const from = end - length - head.length;
    this.at = from;
    putBytes(this, head);
    this.bytes[this.at++] = 0x0a;
    putVarint(this, outer);
    putBytes(this, resource);
    this.bytes[this.at++] = 0x12;
    putVarint(this, inner);
    putBytes(this, scope);
    this.at = end;
    return this.bytes.subarray(from, end);
  }
}

/** Who reports, and with what: the same in front of everything that this process says. */
function frontOf(resourceAttributes) {
  return { resource: field(1, resourceAttributes), scope: field(1, field(1, 'surety.preload')) };
}

module.exports = { Batch, frontOf };
