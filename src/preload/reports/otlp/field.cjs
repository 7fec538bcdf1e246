'use strict';

const { lengthOfVarint, putVarint } = require('./wire.cjs');

/** Like wire.cjs, but in whole buffers, for fields that are encoded once and written often. */
function varint(value) {
  const into = { bytes: Buffer.alloc(lengthOfVarint(value)), at: 0 };
  putVarint(into, value);
  return into.bytes;
}

/** A field with a length: a text, bytes, or a message. */
function field(number, content) {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  return Buffer.concat([varint(number * 8 + 2), varint(body.length), body]);
}

function message(number, ...parts) {
  return field(number, Buffer.concat(parts));
}

function numberField(number, value) {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

function doubleField(number, value) {
  const body = Buffer.alloc(9);
  body[0] = number * 8 + 1;
  body.writeDoubleLE(value, 1);
  return body;
}

/** A whole number in eight bytes. */
function fixedField(number, value) {
  const body = Buffer.alloc(9);
  body[0] = number * 8 + 1;
  body.writeBigUInt64LE(BigInt(value), 1);
  return body;
}

/** The name of an attribute, which is its first part. */
const keyOf = (name) => field(1, name);

function attribute(number, name, value) {
  const any = typeof value === 'string' ? field(1, value) : numberField(3, value);
  return message(number, keyOf(name), field(2, any));
}

/** The attributes of an object whose values are known. */
function attributes(number, values) {
  const known = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  return Buffer.concat(known.map(([name, value]) => attribute(number, name, value)));
}

module.exports = {
  field,
  message,
  numberField,
  doubleField,
  fixedField,
  keyOf,
  attribute,
  attributes,
};
