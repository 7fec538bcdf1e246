'use strict';

const { createHmac } = require('node:crypto');
const { field } = require('./field.cjs');
const { lengthOfVarint, putBytes, putVarint } = require('./wire.cjs');

const bytesAtFirst = 16 * 1024;
/** A little more than one message. */
const bytesKept = 128 * 1024;
/** Room in front of the items for the head of the HTTP request and the lengths. */
const headBytesMax = 640;

/** One request to the receiver, encoded item by item into the buffer that is sent. */
class Batch {
  constructor({ path, host, front, bytesMax }) {
    this.bytesMax = bytesMax;
    this.front = front;
    this.lines = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/x-protobuf\r\n`;
    this.start = headBytesMax + front.resource.length + front.scope.length;
    this.bytes = Buffer.allocUnsafeSlow(Math.min(bytesAtFirst, bytesMax));
    this.clear();
  }

  /** Empties it, and releases the memory that it grew to while nothing could be sent. */
  clear() {
    if (this.bytes.length > bytesKept) this.bytes = Buffer.allocUnsafeSlow(bytesAtFirst);
    this.at = this.start;
    this.count = 0;
  }

  get size() {
    return this.at - this.start;
  }

  /** Whether an item of this many bytes fits. */
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

  /**
   * The whole request, in the same buffer: traces, logs and metrics have the same field numbers
   * here.
   */
  close() {
    const { resource, scope } = this.front;
    const inner = scope.length + this.size;
    const outer = resource.length + 1 + lengthOfVarint(inner) + inner;
    const length = 1 + lengthOfVarint(outer) + outer;
    const end = this.at;
    const body = end - length;
    this.at = body;
    this.bytes[this.at++] = 0x0a;
    putVarint(this, outer);
    putBytes(this, resource);
    this.bytes[this.at++] = 0x12;
    putVarint(this, inner);
    putBytes(this, scope);
    const proof = signature(this.front, this.bytes.subarray(body, end));
    const lines = `${this.lines}${proof}content-length: ${length}\r\n\r\n`;
    const head = Buffer.from(lines, 'latin1');
    this.at = body - head.length;
    putBytes(this, head);
    this.at = end;
    return this.bytes.subarray(body - head.length, end);
  }
}

/** The resource attributes, which are the same at the front of every message of this process. */
function frontOf(resourceAttributes, { instance, senderKey } = {}) {
  const resource = field(1, resourceAttributes);
  return { resource, scope: field(1, field(1, 'surety.preload')), instance, senderKey };
}

/** Proves which instance reports. The key itself is not sent: anybody may listen on that port. */
function signature({ instance, senderKey }, body) {
  if (senderKey === undefined) return '';
  const proof = createHmac('sha256', senderKey).update(body).digest('hex');
  return `surety-sender: ${instance}:${proof}\r\n`;
}

module.exports = { Batch, frontOf };
