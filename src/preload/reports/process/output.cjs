'use strict';

const fs = require('node:fs');
const { isMainThread } = require('node:worker_threads');
const { Lines } = require('./lines.cjs');
const { safely } = require('../safely.cjs');
const { currentTrace } = require('../trace.cjs');

const severities = { debug: 5, info: 9, warn: 13, error: 17 };

/** The severity of what is being written, if a method of `console` writes it. */
let severity = 0;
/** A stream on a file writes through the same function as loggers that bypass the stream. */
let isInStream = false;

/**
 * Reports each line that a service writes, with the request that it was written for. Only for
 * output to a file, as under Surety: output to another process is that process's own matter.
 * Threads write through the main thread.
 */
function watchOutput(outbox, tracer) {
  if (!isMainThread) return;
  const ends = { 1: 'stdout', 2: 'stderr' };
  const taken = Object.entries(ends).filter(([descriptor]) => isFile(Number(descriptor)));
  if (taken.length === 0) return;
  const lines = new Lines(outbox, tracer);
  const hear = Object.fromEntries(
    taken.map(([descriptor, source]) => [descriptor, createHear(lines, source)]),
  );
  for (const [descriptor, source] of taken) watchStream(source, hear[descriptor]);
  watchDescriptors(hear);
  watchConsole();
}

function isFile(descriptor) {
  try {
    return fs.fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/** When the stream is used for the first time: most services never use it. */
function watchStream(source, hear) {
  const { get, ...others } = Object.getOwnPropertyDescriptor(process, source);
  let watched;
  Object.defineProperty(process, source, {
    ...others,
    get() {
      const stream = Reflect.apply(get, process, []);
      if (stream !== watched && typeof stream?.write === 'function') watchWrite(stream, hear);
      watched = stream;
      return stream;
    },
  });
}

function watchWrite(stream, hear) {
  const { write } = stream;
  stream.write = function (chunk, encoding, ...rest) {
    if (isInStream) return Reflect.apply(write, this, [chunk, encoding, ...rest]);
    hear(chunk, encoding);
    isInStream = true;
    try {
      return Reflect.apply(write, this, [chunk, encoding, ...rest]);
    } finally {
      isInStream = false;
    }
  };
}

function watchDescriptors(hear) {
  for (const name of ['write', 'writeSync']) {
    const direct = fs[name];
    fs[name] = function (descriptor, chunk, ...rest) {
      if (descriptor <= 2 && !isInStream) hear[descriptor]?.(partOf(chunk, rest), rest[1]);
      return Reflect.apply(direct, this, [descriptor, chunk, ...rest]);
    };
    // Keeps the property by which `util.promisify` knows the names of the results.
    Object.defineProperties(fs[name], Object.getOwnPropertyDescriptors(direct));
  }
}

/** A part of a buffer may be written. */
function partOf(chunk, [offset, length]) {
  if (typeof chunk?.subarray !== 'function') return chunk;
  return typeof offset === 'number'
    ? chunk.subarray(offset, offset + (length ?? chunk.length))
    : chunk;
}

function watchConsole() {
  const { console } = globalThis;
  for (const name of ['debug', 'info', 'warn', 'error']) {
    const direct = console[name];
    console[name] = function (...args) {
      if (name === 'error') safely(noteError, args);
      severity = severities[name];
      try {
        return Reflect.apply(direct, this, args);
      } finally {
        severity = 0;
      }
    };
    Object.defineProperty(console[name], 'name', { value: name });
  }
}

/** The error of a request is often logged and reported nowhere else. */
function noteError(args) {
  const error = args.find((one) => one instanceof Error);
  const trace = error && currentTrace();
  if (trace) trace.error ??= error;
}

const partCharsMax = 64 * 1024;

/** Splits output into lines. Output above the limit is not even read. */
function createHear(lines, source) {
  let part = '';
  const hear = ({ chunk, encoding }) => {
    if (!lines.isAllowed(chunk.length)) {
      part = '';
      return;
    }
    const text = part + textOf(chunk, encoding);
    const newLines = text.split('\n');
    part = newLines.pop().slice(0, partCharsMax);
    for (const [index, line] of newLines.entries()) {
      if (index > 0 && !lines.isAllowed(line.length)) continue;
      if (line !== '') lines.tell(line.replace(/\r$/, ''), { source, severity });
    }
  };
  return (chunk, encoding) => {
    if (typeof chunk === 'string' || ArrayBuffer.isView(chunk)) safely(hear, { chunk, encoding });
  };
}

function textOf(chunk, encoding) {
  if (typeof chunk !== 'string')
    return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString();
  const isText = typeof encoding !== 'string' || /^utf-?8$/i.test(encoding);
  return isText ? chunk : Buffer.from(chunk, encoding).toString();
}

module.exports = { watchOutput };
