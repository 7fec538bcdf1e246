'use strict';

const net = require('node:net');

const portVariable = 'SURETY_LISTEN_PORT';

/** Moves the ports that a service listens on, so that two versions of it can run side by side. */
function moveListen({ listenPort, ownPort, reusePort }) {
  if (listenPort === undefined && !reusePort) return;
  const { listen } = net.Server.prototype;
  const move = createMove({ listenPort, ownPort });
  net.Server.prototype.listen = function (...args) {
    const options = readTcpOptions(args);
    if (options === undefined) return Reflect.apply(listen, this, args);
    const moved = { ...options, ...move(this, options.port) };
    // Older versions of Node ignore the option; other systems refuse it.
    if (reusePort && process.platform === 'linux' && moved.port > 0) moved.reusePort = true;
    return Reflect.apply(listen, this, [moved, args.find((arg) => typeof arg === 'function')]);
  };
}

/**
 * The main server is the one that listens on the service's port or, if that port is unknown, the
 * first one. Any other server would find its port taken by the baseline, or take it from the
 * baseline during a restart, so it gets a free port.
 */
function createMove({ listenPort, ownPort }) {
  if (listenPort === undefined) return () => ({});
  const isMain = ownPort === undefined ? createIsFirst() : isPortOf(listenPort, ownPort);
  return (server, port) => {
    if (isMain(server, port)) return { port: listenPort, host: '127.0.0.1', ipv6Only: false };
    if (port === 0) return {};
    server.once('listening', () => followTo(port, server.address()));
    return { port: 0, host: '127.0.0.1', ipv6Only: false };
  };
}

function isPortOf(...ports) {
  return (_, port) => ports.includes(port);
}

/** Stays true for the same server when it listens again. */
function createIsFirst() {
  let first;
  return (server) => {
    first ??= server;
    // Processes that are started from now on have their own servers.
    if (first === server) delete process.env[portVariable];
    return first === server;
  };
}

/** Connections of this process to the original port are meant for its own server. */
function followTo(port, address) {
  if (address === null || typeof address !== 'object') return;
  require('../outbound/hosts.cjs').move(port, address.port);
}

/** Parsed as Node does; undefined for pipes, handles and arguments that Node will refuse. */
function readTcpOptions(args) {
  const [first] = args;
  if (typeof first === 'object' && first !== null) return readObject(first);
  const port = readPort(typeof first === 'function' ? undefined : first);
  if (port === undefined) return undefined;
  const host = typeof args[1] === 'string' ? args[1] : undefined;
  const backlog = args.slice(1, 3).find((arg) => typeof arg === 'number');
  return { port, host, backlog };
}

function readObject(options) {
  const isTcp = 'port' in options && options.fd === undefined && !options._handle;
  const port = isTcp ? readPort(options.port) : undefined;
  return port === undefined ? undefined : { ...options, port };
}

function readPort(value) {
  if (value === undefined || value === null) return 0;
  const port = typeof value === 'string' ? Number(value) : value;
  return Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : undefined;
}

module.exports = { moveListen };
