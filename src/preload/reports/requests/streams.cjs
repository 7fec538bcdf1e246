'use strict';

const cpu = require('../process/cpu.cjs');
const { beginCall, traceparentFor } = require('../calls/calls.cjs');
const { beginTrace } = require('./inbound.cjs');
const { safely } = require('../safely.cjs');
const { run } = require('../trace.cjs');

/** Starts to measure a request of HTTP/2. */
function beginStream(stream, headers, { rawHeaders, lane, served }) {
  const trace = beginTrace(rawHeaders, lane);
  trace.method = headers[':method'] ?? '';
  trace.path = headers[':path'] ?? '';
  // The size would be known only by the content length, and most streams have none.
  if (headers['content-length'] === undefined && !stream.endAfterHeaders) trace.requestBytes = -1;
  const tell = () => {
    const { sentHeaders, sentTrailers } = stream;
    trace.status = Number(sentHeaders?.[':status'] ?? 0);
    trace.rpcStatus = rpcStatusIn(sentTrailers, sentHeaders);
    trace.responseBytes = Number(sentHeaders?.['content-length'] ?? -1);
    trace.isGone = stream.aborted;
    served(trace);
  };
  stream.on('close', () => safely(tell));
  keep(stream, trace);
  cpu.enter(trace);
  return trace;
}

/** Events of a stream are emitted by its session, which requests share. */
function keep(stream, trace) {
  const { emit } = stream;
  stream.emit = function (...args) {
    return run(trace, () => Reflect.apply(emit, this, args));
  };
}

/** -1 if it is not gRPC. */
function rpcStatusIn(...heads) {
  const status = heads.find((head) => head?.['grpc-status'] !== undefined)?.['grpc-status'];
  return status === undefined ? -1 : Number(status);
}

/** A call by HTTP/2: the headers to send, and what to do with its stream. */
function createStreamed(calls) {
  return ({ headers, trace, address }) => {
    const call = beginCall(trace);
    call.method = String(headers?.[':method'] ?? 'GET');
    call.path = String(headers?.[':path'] ?? '/');
    call.peer = address;
    const traceparent = traceparentFor(call, headers?.traceparent);
    const sent = traceparent === undefined ? headers : { ...headers, traceparent };
    return { headers: sent, watch: (stream) => watch(calls, stream, call) };
  };
}

function watch(calls, stream, call) {
  const hear = (head) => {
    if (head[':status'] !== undefined) call.status = Number(head[':status']);
    call.rpcStatus = Math.max(call.rpcStatus, rpcStatusIn(head));
  };
  stream.on('response', (head) => safely(hear, head));
  stream.on('trailers', (head) => safely(hear, head));
  stream.on('close', () => {
    const { rstCode } = stream;
    if (rstCode !== 0) call.error = { name: 'stream', message: `closed with code ${rstCode}` };
    safely(() => calls.end(call));
  });
  return stream;
}

module.exports = { beginStream, createStreamed };
