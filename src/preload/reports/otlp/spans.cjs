'use strict';

const { attributes, field, keyOf, message, numberField } = require('./field.cjs');
const { idsOf } = require('../trace.cjs');
const wire = require('./wire.cjs');

/** Fields of a span in OTLP. */
const parentTag = 0x22;
const startTag = 0x39;
const endTag = 0x41;
const attributeTag = 0x4a;
const statusField = 15;

const kinds = { server: 2, client: 3, producer: 4, consumer: 5 };
const errorCode = 2;

/** All parts of a span without a fixed size are cut so that it fits into this. */
const spanBytesMax = 8_192;
const messageCharsMax = 500;
const idCharsMax = 128;
/** The length of a route, a method or the address of a peer. */
const wordCharsMax = 256;

const keys = {
  cpuUs: keyOf('surety.cpu_us'),
  isShared: keyOf('surety.cpu_shared'),
  calls: keyOf('surety.calls'),
  lane: keyOf('surety.lane'),
  requestId: keyOf('surety.request_id'),
  requestBytes: keyOf('http.request.body.size'),
  responseBytes: keyOf('http.response.body.size'),
  isGone: keyOf('surety.client_gone'),
  errorType: keyOf('error.type'),
};

/** The name, kind and attributes that all spans with this method, route and status share. */
function encodeCommon(kind, name, values, isError) {
  const words = Object.entries(values).map(([key, value]) => [key, cut(value)]);
  const encodedAttributes = attributes(9, Object.fromEntries(words));
  const parts = [field(5, cut(name)), numberField(6, kinds[kind]), encodedAttributes];
  if (isError) parts.push(message(statusField, failed));
  return Buffer.concat(parts);
}

const cut = (value) => (typeof value === 'string' ? value.slice(0, wordCharsMax) : value);

const failed = numberField(3, errorCode);

/** Writes ids and times; returns the position at which its length is to be written. */
function begin(batch, ids, span) {
  const { bytes } = batch;
  bytes[batch.at++] = 0x12;
  const from = batch.at;
  batch.at += wire.lengthBytes;
  bytes[batch.at++] = 0x0a;
  bytes[batch.at++] = 16;
  wire.putWord(batch, ids.t0);
  wire.putWord(batch, ids.t1);
  wire.putWord(batch, ids.t2);
  wire.putWord(batch, ids.t3);
  wire.putMoment(batch, startTag, span.beganMs);
  wire.putMoment(batch, endTag, span.endedMs);
  return from;
}

function putSpanId(batch, tag, first, second) {
  batch.bytes[batch.at++] = tag;
  batch.bytes[batch.at++] = 8;
  wire.putWord(batch, first);
  wire.putWord(batch, second);
}

function end(outbox, batch, from) {
  wire.putLength(batch, from, batch.at - from - wire.lengthBytes);
  outbox.added(batch);
}

/** Most requests have no body and make no calls: that is encoded in the common part. */
const isBare = ({ calls, requestBytes }) => calls === 0 && requestBytes === 0;
const bare = { 'surety.calls': 0, 'http.request.body.size': 0 };

/** A request that was handled here. `common` is the result of `encodeCommon`. */
function putServed(outbox, trace, common) {
  const batch = outbox.open('spans', spanBytesMax);
  if (batch === undefined) return;
  const ids = idsOf(trace);
  const from = begin(batch, ids, trace);
  putSpanId(batch, 0x12, ids.s0, ids.s1);
  if (ids.hasParent) putSpanId(batch, parentTag, ids.p0, ids.p1);
  wire.putBytes(batch, common);
  putNumber(batch, keys.cpuUs, trace.cpuUs);
  if (!isBare(trace)) {
    putNumber(batch, keys.calls, trace.calls);
    putNumber(batch, keys.requestBytes, trace.requestBytes);
  }
  putNumber(batch, keys.responseBytes, trace.responseBytes);
  if (trace.isShared) putText(batch, keys.isShared, 'true');
  if (trace.isGone) putText(batch, keys.isGone, 'true');
  if (trace.lane !== undefined) putText(batch, keys.lane, trace.lane);
  if (trace.requestId !== '') putText(batch, keys.requestId, trace.requestId);
  const isFailed = trace.status >= 500 || trace.status === 0 || trace.rpcStatus > 0;
  if (trace.error !== undefined && isFailed) putError(batch, trace.error);
  end(outbox, batch, from);
}

/** A call that was made from here, for `trace` or outside of any request. */
function putCalled(outbox, call, common) {
  const batch = outbox.open('spans', spanBytesMax);
  if (batch === undefined) return;
  const { ids, lane, error } = call;
  const from = begin(batch, ids, call);
  putSpanId(batch, 0x12, call.s0, call.s1);
  if (call.hasParent) putSpanId(batch, parentTag, ids.s0, ids.s1);
  wire.putBytes(batch, common);
  if (lane !== undefined) putText(batch, keys.lane, lane);
  if (error !== undefined) {
    putText(
      batch,
      keys.errorType,
      shown(() => error.code ?? error.name ?? 'error'),
    );
    putError(batch, error);
  }
  end(outbox, batch, from);
}

/** Writes nothing for an unknown number. */
function putNumber(batch, key, value) {
  if (value >= 0) wire.putNumberAttribute(batch, attributeTag, key, value);
}

function putText(batch, key, text) {
  wire.putTextAttribute(batch, attributeTag, key, text.slice(0, idCharsMax));
}

function putError(batch, error) {
  const text = shown(() => error?.message ?? error).slice(0, messageCharsMax);
  const type = shown(() => error?.name ?? '').slice(0, idCharsMax);
  wire.putBytes(batch, message(statusField, field(2, type ? `${type}: ${text}` : text), failed));
}

/** An application may throw anything, even a value that cannot be converted to text. */
function shown(read) {
  try {
    return String(read());
  } catch {
    return 'what was thrown has no text';
  }
}

module.exports = { encodeCommon, putServed, putCalled, isBare, bare };
