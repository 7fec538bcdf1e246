'use strict';

const { nowMs } = require('../clock.cjs');
const { attribute, keyOf } = require('../otlp/field.cjs');
const { currentTrace, idsOf } = require('../trace.cjs');
const wire = require('../otlp/wire.cjs');

/** Fields of a log record in OTLP. */
const timeTag = 0x09;
const bodyTag = 0x2a;
const attributeTag = 0x32;

/** Equal to telemetryLimits.telemetryTextCharsMax, which a test checks: longer lines are cut. */
const lineCharsMax = 16 * 1024;
const recordBytes = 512;

/** Nobody reads faster output; the log file contains all of it. */
const perSecondMax = { lines: 1_000, chars: 512 * 1024 };
const burstSeconds = 2;

const sources = {
  stdout: attribute(6, 'log.iostream', 'stdout'),
  stderr: attribute(6, 'log.iostream', 'stderr'),
};
const laneKey = keyOf('surety.lane');

/** Lines of output on their way into batches, with the request that wrote them. */
class Lines {
  #outbox;
  #left = { lines: 0, chars: 0 };
  #sinceMs = Number.NEGATIVE_INFINITY;

  #tracer;

  constructor(outbox, tracer) {
    this.#outbox = outbox;
    this.#tracer = tracer;
  }

  /**
   * Whether this many characters may still be reported now. The cost does not depend on the number.
   */
  isAllowed(chars) {
    const passed = Math.min(burstSeconds, (nowMs() - this.#sinceMs) / 1_000);
    this.#sinceMs = nowMs();
    const { lines, chars: room } = this.#left;
    this.#left.lines = Math.min(
      burstSeconds * perSecondMax.lines,
      lines + passed * perSecondMax.lines,
    );
    this.#left.chars = Math.min(
      burstSeconds * perSecondMax.chars,
      room + passed * perSecondMax.chars,
    );
    if (this.#left.lines >= 1 && this.#left.chars >= Math.min(chars, lineCharsMax)) return true;
    this.#outbox.dropped.logs++;
    return false;
  }

  tell(text, { source, severity }) {
    const cut = text.length > lineCharsMax ? text.slice(0, lineCharsMax) : text;
    this.#left.lines--;
    this.#left.chars -= cut.length;
    const length = Buffer.byteLength(cut);
    const batch = this.#outbox.open('logs', length + recordBytes);
    if (batch === undefined) return;
    const from = begin(batch, { text: cut, length, severity });
    wire.putBytes(batch, sources[source]);
    const { traceId, spanId } = this.#tracer.current() ?? {};
    const trace = currentTrace();
    if (traceId && spanId) putIds(batch, Buffer.from(traceId, 'hex'), Buffer.from(spanId, 'hex'));
    else if (trace !== undefined) putTrace(batch, trace);
    wire.putLength(batch, from, batch.at - from - wire.lengthBytes);
    this.#outbox.added(batch);
  }
}

function begin(batch, { text, length, severity }) {
  batch.bytes[batch.at++] = 0x12;
  const from = batch.at;
  batch.at += wire.lengthBytes;
  wire.putMoment(batch, timeTag, nowMs());
  if (severity > 0) {
    batch.bytes[batch.at++] = 0x10;
    batch.bytes[batch.at++] = severity;
  }
  batch.bytes[batch.at++] = bodyTag;
  wire.putVarint(batch, 1 + wire.lengthOfVarint(length) + length);
  batch.bytes[batch.at++] = 0x0a;
  wire.putVarint(batch, length);
  wire.putText(batch, text, length);
  return from;
}

function putTrace(batch, trace) {
  const { t0, t1, t2, t3, s0, s1 } = idsOf(trace);
  if (trace.lane !== undefined) wire.putTextAttribute(batch, attributeTag, laneKey, trace.lane);
  batch.bytes[batch.at++] = 0x4a;
  batch.bytes[batch.at++] = 16;
  for (const word of [t0, t1, t2, t3]) wire.putWord(batch, word);
  batch.bytes[batch.at++] = 0x52;
  batch.bytes[batch.at++] = 8;
  for (const word of [s0, s1]) wire.putWord(batch, word);
}

function putIds(batch, traceId, spanId) {
  if (traceId.length !== 16 || spanId.length !== 8) return;
  batch.bytes[batch.at++] = 0x4a;
  batch.bytes[batch.at++] = 16;
  wire.putBytes(batch, traceId);
  batch.bytes[batch.at++] = 0x52;
  batch.bytes[batch.at++] = 8;
  wire.putBytes(batch, spanId);
}

module.exports = { Lines, lineCharsMax };
