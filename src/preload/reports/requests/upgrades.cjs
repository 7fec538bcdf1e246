'use strict';

const { beginTrace } = require('./inbound.cjs');
const { safely } = require('../safely.cjs');

/**
 * An upgrade, as to WebSocket, is over when its answer begins: how long a connection stays open is
 * not how long somebody waits. Later messages on the connection still belong to this request.
 */
function beginUpgrade(request, socket, { rawHeaders, lane, served }) {
  const trace = beginTrace(rawHeaders, lane);
  trace.method = request.method;
  trace.path = request.url;
  trace.isOpen = true;
  trace.epoch = -1;
  const tell = (status) => {
    if (!Number.isNaN(trace.endedMs)) return;
    trace.status = status;
    trace.isGone = status === 0;
    served(trace);
  };
  onFirstWrite(socket, (chunk) => safely(tell, statusIn(chunk)));
  socket.once('close', () => {
    trace.isOpen = false;
    safely(tell, 0);
  });
  return trace;
}

function onFirstWrite(socket, hear) {
  const own = Object.getOwnPropertyDescriptor(socket, 'write');
  const { write } = socket;
  socket.write = function (chunk, ...rest) {
    if (own) Object.defineProperty(socket, 'write', own);
    else delete socket.write;
    hear(chunk);
    return Reflect.apply(write, this, [chunk, ...rest]);
  };
}

function statusIn(chunk) {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(String(chunk).slice(0, 16))?.[1] ?? 0);
}

module.exports = { beginUpgrade };
