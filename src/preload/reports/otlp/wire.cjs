'use strict';

const { stampOf } = require('../clock.cjs');

/**
 * As much of protobuf as OTLP needs, written by hand: a service need not have a package for it, and
 * encoding a request must cost almost nothing. `into` has `bytes` and `at`.
 */
const lengthOfVarint = (value) => {
  let length = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++;
  return length;
};

function putVarint(into, value) {
  const { bytes } = into;
  let rest = value;
  while (rest >= 128) {
    bytes[into.at++] = (rest % 128) + 128;
    rest = Math.floor(rest / 128);
  }
  bytes[into.at++] = rest;
}

/** A length that is known only later always takes this many bytes. */
function putLength(into, at, length) {
  into.bytes[at] = (length & 127) | 128;
  into.bytes[at + 1] = ((length >> 7) & 127) | 128;
  into.bytes[at + 2] = length >> 14;
}

const lengthBytes = 3;

function putBytes(into, bytes) {
  into.bytes.set(bytes, into.at);
  into.at += bytes.length;
}

/** 32 bits, first byte first, as in the text of an id. */
function putWord(into, word) {
  const { bytes, at } = into;
  bytes[at] = word >>> 24;
  bytes[at + 1] = word >>> 16;
  bytes[at + 2] = word >>> 8;
  bytes[at + 3] = word;
  into.at = at + 4;
}

function putHalf(into, half) {
  const { bytes, at } = into;
  bytes[at] = half;
  bytes[at + 1] = half >>> 8;
  bytes[at + 2] = half >>> 16;
  bytes[at + 3] = half >>> 24;
  into.at = at + 4;
}

/** A moment in nanoseconds as fixed64, under this tag. */
function putMoment(into, tag, momentMs) {
  const { low, high } = stampOf(momentMs);
  into.bytes[into.at++] = tag;
  putHalf(into, low);
  putHalf(into, high);
}

function putText(into, text, length) {
  into.at += into.bytes.utf8Write(text, into.at, length);
}

/** `key` is the field of the name, as `keyOf` makes it. */
function putTextAttribute(into, tag, key, text) {
  const length = Buffer.byteLength(text);
  const inner = 1 + lengthOfVarint(length) + length;
  into.bytes[into.at++] = tag;
  putVarint(into, key.length + 1 + lengthOfVarint(inner) + inner);
  putBytes(into, key);
  into.bytes[into.at++] = 0x12;
  putVarint(into, inner);
  into.bytes[into.at++] = 0x0a;
  putVarint(into, length);
  putText(into, text, length);
}

/** For whole numbers that are not negative. */
function putNumberAttribute(into, tag, key, value) {
  const inner = 1 + lengthOfVarint(value);
  into.bytes[into.at++] = tag;
  putVarint(into, key.length + 2 + inner);
  putBytes(into, key);
  into.bytes[into.at++] = 0x12;
  into.bytes[into.at++] = inner;
  into.bytes[into.at++] = 0x18;
  putVarint(into, value);
}

module.exports = {
  lengthBytes,
  lengthOfVarint,
  putVarint,
  putLength,
  putBytes,
  putWord,
  putMoment,
  putText,
  putTextAttribute,
  putNumberAttribute,
};
