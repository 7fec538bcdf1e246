'use strict';

const net = require('node:net');

const portVariable = 'SURETY_LISTEN_PORT';

/** Moves the port that a service listens on, so that two versions of it can run side by side. */
function moveListen({ listenPort, reusePort }) {
  if (listenPort === undefined && !reusePort) return;
  const { listen } = net.Server.prototype;
  const move = createMove(listenPort);
  net.Server.prototype.listen = function (...args) {
    const options = readTcpOptions(args);
    if (options === undefined) return Reflect.apply(listen, this, args);
    const moved = { ...options, ...move(this) };
    // Nodes that can't do it don't know the option; other systems refuse it.
    if (reusePort && process.platform === 'linux' && moved.port > 0) moved.reusePort = true;
    return Reflect.apply(listen, this, [moved, args.find((arg) => typeof arg === 'function')]);
  };
}

/** For the first server of the process, also when it listens again; nothing for any other. */
function createMove(port) {
  let first;
  return (server) => {
    if (port === undefined) return {};
    first ??= server;
    if (first !== server) return {};
    // Processes that this one starts from now on have a server of their own.
    delete process.env[portVariable];
    return { port, host: '127.0.0.1', ipv6Only: false };
  };
}

/** As Node reads them; undefined for pipes, handles, and what Node will refuse. */
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
