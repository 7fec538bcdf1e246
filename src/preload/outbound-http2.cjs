'use strict';

const http2 = require('node:http2');
const context = require('./context.cjs');
const { callerOf, keepCaller } = require('./caller.cjs');
const { takeCall } = require('./grpc-call.cjs');
const { routedHeaders, targetOf, entriesOf } = require('./routed-headers.cjs');

/** Where each session of the application goes. */
const targets = new WeakMap();

/** Streams that are opened for a keyed request go to the router, past the session they ask. */
function tagHttp2(settings) {
  const { connect } = http2;
  const router = createRouterSession(settings, connect);
  const tagPrototype = once((prototype) => tagRequest(prototype, { settings, router }));
  http2.connect = function (authority, ...rest) {
    const opener = context.peek();
    const args = [authority, ...rest.map((arg) => bound(arg, opener))];
    // Others will use this session; only who waits for it to connect is surely its opener.
    const session = context.outside(() => Reflect.apply(connect, this, args));
    bindConnect(session);
    targets.set(session, readTarget(authority, rest[0]));
    tagPrototype(Object.getPrototypeOf(session));
    return session;
  };
}

function once(run) {
  let isDone = false;
  return (argument) => {
    if (!isDone) run(argument);
    isDone = true;
  };
}

function bound(listener, caller) {
  if (typeof listener !== 'function' || caller === undefined) return listener;
  return Object.assign(
    function (...args) {
      return context.run(caller, () => Reflect.apply(listener, this, args));
    },
    // By this, Node finds it when the application removes what it gave.
    { listener },
  );
}

function bindConnect(session) {
  for (const name of ['on', 'once']) {
    const direct = session[name];
    session[name] = function (event, listener) {
      const isOurs = event === 'connect' && listener.listener === undefined;
      const kept = isOurs ? bound(listener, context.peek()) : listener;
      return Reflect.apply(direct, this, [event, kept]);
    };
  }
}

function readTarget(authority, options) {
  const url = typeof authority === 'string' ? new URL(authority) : authority;
  const protocol = url.protocol || options?.protocol || 'https:';
  const hostname = url.hostname || url.host || 'localhost';
  return targetOf(protocol.slice(0, -1), hostname.replace(/^\[(.*)\]$/, '$1'), url.port);
}

function tagRequest(prototype, { settings, router }) {
  const { request } = prototype;
  prototype.request = function (headers, options) {
    const { caller, sent } = readCall(headers, settings);
    const target = targets.get(this);
    const isKeyed = caller !== undefined && target !== undefined && !this.closed && !this.destroyed;
    if (!isKeyed) return Reflect.apply(request, this, [sent, options]);
    const call = reroute(sent, { caller, settings, target });
    return context.outside(() => {
      const session = router();
      const stream = Reflect.apply(request, session, [call, options]);
      holdOpen(session, stream);
      keepCaller(stream, caller);
      return stream;
    });
  };
}

/** gRPC sends a call when its channel is ready, in the context of whoever waited for that too. */
function readCall(headers, settings) {
  const call = takeCall(headers);
  if (call === undefined) return { caller: callerOf(headers, settings), sent: headers };
  return { caller: call.caller, sent: call.headers };
}

function reroute(headers, { caller, settings, target }) {
  const { host, ...way } = target;
  const list = entriesOf(headers ?? {});
  const has = (wanted) => list.some(([name]) => name.toLowerCase() === wanted);
  const routed = routedHeaders(joined(list), { caller, settings, target: way });
  const symbols = Object.getOwnPropertySymbols(headers ?? {});
  return {
    ':scheme': target.scheme,
    ...(has(':authority') || has('host') ? {} : { ':authority': host }),
    ...routed,
    ...Object.fromEntries(symbols.map((symbol) => [symbol, headers[symbol]])),
  };
}

/** Repeated headers as the lists that Node takes in an object. */
function joined(list) {
  const all = new Map();
  for (const [name, value] of list) {
    all.set(name, all.has(name) ? [all.get(name), value].flat() : value);
  }
  return Object.fromEntries(all);
}

/** One session for all, anew when it has ended. */
function createRouterSession({ router }, connect) {
  let session;
  return () => {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(`http://${router.host}:${router.port}`);
      // Each stream is told by itself.
      session.on('error', () => {});
    }
    return session;
  };
}

/** Like a connection of the application, it keeps the process alive while an answer is due. */
function holdOpen(session, stream) {
  const count = (held.get(session) ?? 0) + 1;
  held.set(session, count);
  session.ref();
  stream.once('close', () => {
    held.set(session, held.get(session) - 1);
    if (held.get(session) === 0 && !session.destroyed) session.unref();
  });
}

const held = new WeakMap();

module.exports = { tagHttp2 };
