'use strict';

const net = require('node:net');
const tls = require('node:tls');
const context = require('../context/context.cjs');
const { awaitPeer } = require('../context/handled.cjs');
const { replace } = require('../replace.cjs');
const { isExporter } = require('./exporters.cjs');

/**
 * A connection keeps the context in which it was opened and calls back in it as long as it lives. A
 * connection that a keyed request opens into a pool would give the request's key to everybody who
 * uses the pool later. Every connection by host name passes here too; TLS still verifies the name
 * that the application gave.
 */
function tagSockets(settings) {
  const { hosts, listenPort } = settings;
  const remap = hosts.size > 0 || listenPort !== undefined ? openHosts(hosts) : (args) => args;
  const watch = createWatch(settings);
  replace(
    net.Socket.prototype,
    'connect',
    (connect) =>
      function (...args) {
        const remapped = remap(args);
        if (isKeyed()) watch(this, remapped);
        const serving = context.serving();
        if (serving !== undefined) awaitPeer(serving, this, bytesRead);
        return context.outside(() => Reflect.apply(connect, this, remapped));
      },
  );
  replace(
    tls,
    'connect',
    (connect) =>
      function (...args) {
        const socket = context.outside(() => Reflect.apply(connect, this, args));
        if (isKeyed()) watch(socket, args);
        return socket;
      },
  );
  replace(
    net.Socket.prototype,
    '_writeGeneric',
    (write) =>
      function (...args) {
        const serving = context.serving();
        if (serving !== undefined && this.server === undefined) awaitPeer(serving, this, bytesRead);
        return Reflect.apply(write, this, args);
      },
  );
}

/** In a timer's callback, a call may belong to any request with a key. */
function isKeyed() {
  const entered = context.entered();
  return entered !== undefined && (entered.key !== undefined || entered.isTimed);
}

/** Changes when the other side answers or leaves. */
const bytesRead = (socket) => (socket.destroyed ? -1 : socket.bytesRead);

/**
 * Of an unknown client one can only see that it opens a connection and writes to it, without a key.
 * The router knows whether a service is at the other end. Known clients go to the router or have
 * reported their losses; sessions of HTTP/2, which requests share, do not write through this.
 */
function createWatch({ router, telemetry }) {
  const own = [router, telemetry].filter(Boolean).map(({ host, port }) => `${host}:${port}`);
  return (socket, args) => {
    const to = addressOf(args);
    if (to === undefined || own.includes(to) || isExporter(to)) return;
    const tell = context.bound(() => context.bypass(to));
    const { _writeGeneric: write } = socket;
    socket._writeGeneric = function (...written) {
      socket._writeGeneric = write;
      tell();
      return Reflect.apply(write, this, written);
    };
  };
}

/**
 * `host:port` of a connection's arguments; undefined if it is not a new connection, or to a path.
 */
function addressOf([first, second]) {
  const [given] = [first].flat();
  const options = typeof given === 'object' && given !== null ? given : { port: given };
  const { path, port, socket } = options;
  if (path || socket || !/^\d{1,5}$/.test(port)) return undefined;
  const host = String(options.host ?? second?.host ?? (typeof second === 'string' ? second : ''));
  // No service has such a name, and it must not get into a header.
  if (!/^[\w.:-]{0,253}$/.test(host)) return undefined;
  return host.includes(':') ? `[${host}]:${port}` : `${host || 'localhost'}:${port}`;
}

function openHosts(hosts) {
  const { answerLookups, remap, setHosts } = require('./hosts.cjs');
  setHosts(hosts);
  answerLookups();
  return remap;
}

module.exports = { tagSockets };
