'use strict';

const poolWords = 1024;
const pool = new Int32Array(poolWords);
let used = poolWords;

function randomWord() {
  if (used === poolWords) {
    require('node:crypto').randomFillSync(pool);
    used = 0;
  }
  return pool[used++];
}

/** Random start values of this process for its ids. */
let bases;
let seeds = 0;

/**
 * All ids of a request are computed from one number, so they need not exist until they are used.
 */
function nextSeed() {
  seeds = (seeds + 1) | 0;
  return seeds;
}

/** Different for every seed, and without a visible order (the finalizer of MurmurHash3). */
function wordOf(seed, index) {
  let word = (seed + bases[index]) | 0;
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}

/** The ids of a trace, of the request's span and of its parent, if any, in words of 32 bits. */
class Ids {
  constructor(traceparent, seed) {
    this.t0 = 0;
    this.t1 = 0;
    this.t2 = 0;
    this.t3 = 0;
    this.s0 = 0;
    this.s1 = 0;
    this.p0 = 0;
    this.p1 = 0;
    this.flags = 1;
    this.hasParent = false;
    this.read(traceparent, seed);
  }

  /** Sets the ids to those of another request. */
  read(traceparent, seed) {
    bases ??= Int32Array.from({ length: 6 }, randomWord);
    this.s0 = wordOf(seed, 4);
    // An id must not be zero.
    this.s1 = wordOf(seed, 5) | 1;
    this.hasParent = traceparent !== undefined && isTraceparent(traceparent);
    if (this.hasParent) readParent(this, traceparent);
    else makeTrace(this, seed);
    return this;
  }
}

function makeTrace(ids, seed) {
  ids.t0 = wordOf(seed, 0);
  ids.t1 = wordOf(seed, 1);
  ids.t2 = wordOf(seed, 2);
  ids.t3 = wordOf(seed, 3) | 1;
  ids.flags = 1;
}

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

const isTraceparent = (text) => form.test(text);

function readParent(ids, text) {
  ids.t0 = wordAt(text, 3);
  ids.t1 = wordAt(text, 11);
  ids.t2 = wordAt(text, 19);
  ids.t3 = wordAt(text, 27);
  ids.p0 = wordAt(text, 36);
  ids.p1 = wordAt(text, 44);
  ids.flags = digitAt(text, 54) & 1;
}

function wordAt(text, from) {
  let word = 0;
  for (let index = from; index < from + 8; index++) word = (word << 4) | digitAt(text, index);
  return word;
}

function digitAt(text, index) {
  const code = text.charCodeAt(index);
  return code < 58 ? code - 48 : code - 87;
}

const bytes = Buffer.alloc(24);

/** The traceparent of a call: the span of the call is the parent of the callee's work. */
function traceparentOf({ t0, t1, t2, t3, flags }, { s0, s1 }) {
  bytes.writeInt32BE(t0, 0);
  bytes.writeInt32BE(t1, 4);
  bytes.writeInt32BE(t2, 8);
  bytes.writeInt32BE(t3, 12);
  bytes.writeInt32BE(s0, 16);
  bytes.writeInt32BE(s1, 20);
  return `00-${bytes.hexSlice(0, 16)}-${bytes.hexSlice(16, 24)}-0${flags}`;
}

function formatTraceId({ t0, t1, t2, t3 }) {
  return [t0, t1, t2, t3].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

module.exports = { Ids, formatTraceId, nextSeed, randomWord, traceparentOf };
