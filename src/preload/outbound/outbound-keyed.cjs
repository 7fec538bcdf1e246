'use strict';

const http = require('node:http');
const { urlToHttpOptions } = require('node:url');
const context = require('../context/context.cjs');
const { keepCaller } = require('../context/caller.cjs');
const { addKey, isCarrier } = require('../key/lane-key.cjs');
const { routedHeaders, targetOf } = require('./routed-headers.cjs');

/** Options for a direct connection to the target. None applies to the connection to the router. */
const directOptions = {
  createConnection: undefined,
  defaultPort: undefined,
  family: undefined,
  hints: undefined,
  localAddress: undefined,
  localPort: undefined,
  lookup: undefined,
  servername: undefined,
  _defaultAgent: undefined,
};

/** Whom a call with these arguments calls; undefined for a target without host and port. */
function addressOf(args, scheme) {
  return tryRead(() => readTarget(readArguments(args).options, scheme)?.address);
}

/** Node refuses arguments that can't be read with its own error. */
function tryRead(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Sends a keyed call; undefined for a target without host and port. */
function createSend(settings) {
  const { dial } = settings;
  // Keyed calls do not use the application's connections or count against its limits.
  const agent = new http.Agent({ keepAlive: true });
  const send = (args, { scheme, caller }) => {
    const { options, callback } = readArguments(args);
    const target = readTarget(options, scheme);
    if (target === undefined) return undefined;
    const request = dial({ ...reroute(options, { caller, settings, target }), agent }, callback);
    keepKey(request, caller.key);
    keepCaller(request, caller, (event, answer, socket) => {
      if (event === 'response') {
        context.noteAnswer(caller);
        context.keep(answer, caller);
      }
      // After an upgrade the connection belongs to this caller alone.
      if (event === 'upgrade') context.keep(socket, caller);
    });
    return request;
  };
  return { send, addressOf };
}

/** Parsed as Node does: (url, options, callback), (url, callback) or (options, callback). */
function readArguments([first, ...rest]) {
  const url = typeof first === 'string' ? new URL(first) : first;
  const isUrl = Boolean(
    url?.href && url.protocol && url.auth === undefined && url.path === undefined,
  );
  const [given, callback] = isUrl ? rest : [first, ...rest];
  const base = isUrl ? urlToHttpOptions(url) : {};
  if (typeof given === 'function') return { options: base, callback: given };
  return { options: { ...base, ...given }, callback };
}

/**
 * A protocol that needs another module or agent is left to Node, which refuses it with its own
 * error. The agent is not asked, because some agents inspect the stack to decide whether to use
 * TLS.
 */
function readTarget(options, scheme) {
  const { agent, socketPath, port, defaultPort } = options;
  const protocol = options.protocol || `${scheme}:`;
  const fits = protocol === `${scheme}:` || (agent && /^https?:$/.test(protocol));
  if (socketPath || !fits) return undefined;
  const hostname = options.hostname || options.host || 'localhost';
  return targetOf(protocol.slice(0, -1), hostname, port || defaultPort);
}

function reroute(options, { caller, settings, target }) {
  const { host, port } = settings.router;
  const asked = options.setHost === false ? undefined : target.host;
  return {
    ...options,
    ...directOptions,
    protocol: 'http:',
    hostname: host,
    host,
    port,
    headers: routedHeaders(options.headers, {
      caller,
      settings,
      target: { ...target, host: asked },
    }),
    setHost: false,
  };
}

/** Tracers set these headers on the request after it was made. */
function keepKey(request, key) {
  const { setHeader } = request;
  request.setHeader = function (name, value) {
    const carrier = String(name).toLowerCase();
    const kept = isCarrier(carrier) ? addKey(carrier, value, key) : value;
    return Reflect.apply(setHeader, this, [name, kept]);
  };
}

module.exports = { createSend };
