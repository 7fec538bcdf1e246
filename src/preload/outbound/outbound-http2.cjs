'use strict';

const context = require('../context/context.cjs');
const { callerOf, keepCaller } = require('../context/caller.cjs');
const { callBegins, waitBegins, waitEnds } = require('../context/handled.cjs');
const { takeCall } = require('./grpc-call.cjs');
const { lazily } = require('../lazily.cjs');
const { alike } = require('../replace.cjs');
const { routedHeaders, targetOf, entriesOf } = require('./routed-headers.cjs');

const tagged = new WeakSet();

/** Streams for a keyed request go to the router, whatever session they are opened on. */
function tagSession(session, settings) {
  if (typeof session.request !== 'function') return;
  bindConnect(session);
  const prototype = Object.getPrototypeOf(session);
  if (tagged.has(prototype)) return;
  tagged.add(prototype);
  tagRequest(prototype, { settings, router: createRouterSession(settings) });
  tagClose(prototype);
}

/** A request may wait until its session is closed. */
function tagClose(prototype) {
  const { close } = prototype;
  prototype.close = alike(function (...args) {
    const serving = this.destroyed ? undefined : context.serving();
    if (serving !== undefined) {
      waitBegins(serving);
      this.once('close', () => waitEnds(serving));
    }
    return Reflect.apply(close, this, args);
  }, close);
}

function bound(listener) {
  if (typeof listener !== 'function') return listener;
  // Node finds the wrapped listener by this property when the application removes its own.
  return Object.assign(context.bound(listener), { listener });
}

/**
 * Requests share a session, so only a listener for its connection runs in the context in which it
 * was added.
 */
function bindConnect(session) {
  for (const name of ['on', 'once']) {
    const direct = session[name];
    session[name] = function (event, listener) {
      const isOurs = event === 'connect' && listener?.listener === undefined;
      const kept = isOurs ? bound(listener) : listener;
      return Reflect.apply(direct, this, [event, kept]);
    };
  }
}

/** The target of a session, which Node keeps under symbols that it does not export. */
function readTarget(session) {
  const authority = hiddenIn(session, 'authority');
  if (typeof authority !== 'string') return undefined;
  const scheme = hiddenIn(session, 'protocol') === 'http:' ? 'http' : 'https';
  const colon = authority.lastIndexOf(':');
  const host = authority.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return targetOf(scheme, host, authority.slice(colon + 1));
}

function hiddenIn(session, name) {
  const symbol = Object.getOwnPropertySymbols(session).find((one) => one.description === name);
  return symbol && session[symbol];
}

const asItIs = (stream) => stream;

function tagRequest(prototype, { settings, router }) {
  const { request } = prototype;
  const { reports } = settings;
  prototype.request = alike(function (headers, options) {
    const { caller, trace, sent: given, isDelayed } = readCall(this, headers, settings);
    const isOver = this.closed || this.destroyed || this === router.session;
    const target = isOver || (caller ?? reports) === undefined ? undefined : readTarget(this);
    const { headers: sent = given, watch = asItIs } =
      target && reports ? reports.stream({ headers: given, trace, address: target.address }) : {};
    if (target === undefined || caller === undefined)
      return counted(watch(Reflect.apply(request, this, [sent, options])), isDelayed);
    const call = reroute(sent, { caller, settings, target });
    const routed = context.outside(() => {
      const session = router.open();
      const stream = Reflect.apply(request, session, [call, options]);
      holdOpen(session, stream);
      keepCaller(stream, caller);
      return watch(stream);
    });
    return counted(routed, isDelayed);
  }, request);
}

/** As long as the stream is open, its request waits for it. gRPC counts its calls itself. */
function counted(stream, isDelayed) {
  const serving = isDelayed ? undefined : context.serving();
  if (serving === undefined) return stream;
  callBegins(serving);
  stream.once('close', () => waitEnds(serving));
  return stream;
}

/** gRPC sends a call when its channel is ready, in the context of any call that waited for that. */
function readCall(session, headers, settings) {
  const call = takeCall(headers);
  if (call === undefined) {
    const caller = callerOf(headers, settings, () => readTarget(session)?.address);
    return { caller, sent: headers, isDelayed: false };
  }
  return { caller: call.caller, trace: call.trace, sent: call.headers, isDelayed: true };
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

/** Repeated headers as lists, which Node accepts in an object. */
function joined(list) {
  const all = new Map();
  for (const [name, value] of list) {
    all.set(name, all.has(name) ? [all.get(name), value].flat() : value);
  }
  return Object.fromEntries(all);
}

/** One session for all calls, opened again when it has ended. */
function createRouterSession({ router }) {
  const http2 = lazily(() => require('node:http2'));
  return {
    session: undefined,
    open() {
      const { session } = this;
      if (session !== undefined && !session.closed && !session.destroyed) return session;
      this.session = http2().connect(`http://${router.host}:${router.port}`);
      // Errors reach each stream separately.
      this.session.on('error', () => {});
      return this.session;
    },
  };
}

/** Keeps the process alive while an answer is due, as a connection of the application does. */
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

module.exports = { tagSession };
