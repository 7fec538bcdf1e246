'use strict';

const channels = require('node:diagnostics_channel');
const context = require('../context/context.cjs');
const { callerOf } = require('../context/caller.cjs');
const { callBegins, waitEnds } = require('../context/handled.cjs');
const storages = require('../context/storages.cjs');
const { routedHeaders, targetOf } = require('./routed-headers.cjs');

const tagged = new WeakSet();

/** Keeps an object of the application as it is. */
class Given {
  constructor(handler) {
    // biome-ignore lint/correctness/noConstructorReturn: what extends this adds to what it is given
    return handler;
  }
}

/**
 * The handler of a call's answer, marked with the caller, so that a retry from a timer or a call
 * that waits in a pool is sent for the same caller or, as before, for none. The application cannot
 * see the mark. Unlike an entry in a WeakMap it costs almost nothing, and every call pays for it.
 */
class Marked extends Given {
  #caller;
  #place;

  constructor(handler, caller) {
    super(handler);
    this.#caller = caller;
    this.#place = storages.place();
  }

  static has(handler) {
    return #caller in handler;
  }

  static callerOf(handler) {
    return handler.#caller;
  }

  static placeOf(handler) {
    return handler.#place;
  }
}

/**
 * undici is behind the global fetch, WebSocket and EventSource, and may be installed as a package
 * in several copies and versions, bundled or not. All of them send through `dispatch`, in the
 * context of the sender.
 */
function tagDispatcher(emitter, settings) {
  const prototype = ownerOf(emitter, 'dispatch');
  const isDispatcher = ['dispatch', 'close', 'destroy'].every(
    (name) => typeof emitter[name] === 'function' && ownerOf(emitter, name) === prototype,
  );
  if (!isDispatcher || tagged.has(prototype)) return;
  tagged.add(prototype);
  const { dispatch } = prototype;
  const routers = createRouters(settings);
  countCalls(routers);
  const send = (dispatcher, options, handler) => {
    const caller = Marked.callerOf(handler);
    const keyed = caller && rerouteFrom(dispatcher, options, { caller, settings, routers });
    if (keyed === undefined) return Reflect.apply(dispatch, dispatcher, [options, handler]);
    const kept = caller.isNamed ? handler : context.within(handler, caller);
    return Reflect.apply(dispatch, keyed.router, [keyed.call, kept]);
  };
  prototype.dispatch = function (options, handler) {
    if (!isCall(options, handler)) return Reflect.apply(dispatch, this, [options, handler]);
    if (!Marked.has(handler)) {
      const address = () => addressOf(options, this);
      new Marked(handler, callerOf(options.headers, settings, address));
      return send(this, options, handler);
    }
    // It waited for a connection until another call was over, or is sent again.
    return storages.runAt(Marked.placeOf(handler), () => send(this, options, handler));
  };
}

const servingSymbol = Symbol('surety.serving');
const held = [];

/** As long as a call is under way, its request waits for it. All copies of undici report calls. */
function countCalls({ address }) {
  if (held.length > 0) return;
  const listen = (name, hear) => {
    const channel = channels.channel(name);
    channel.subscribe(hear);
    // Node drops channels without a reference, together with their listeners.
    held.push(channel);
  };
  const end = ({ request }) => {
    const serving = request[servingSymbol];
    if (serving === undefined) return;
    request[servingSymbol] = undefined;
    waitEnds(serving);
  };
  listen('undici:request:create', ({ request }) => {
    const serving = context.serving();
    if (serving === undefined) return;
    callBegins(serving);
    request[servingSymbol] = serving;
  });
  listen('undici:request:headers', ({ request }) => {
    const isRouted = String(request.origin) === address;
    if (isRouted && request[servingSymbol]?.key !== undefined) {
      context.noteAnswer(request[servingSymbol]);
    }
  });
  listen('undici:request:trailers', end);
  listen('undici:request:error', end);
}

/** Undefined if the dispatcher passes the call to another one, where it is handled. */
function rerouteFrom(dispatcher, options, { caller, settings, routers }) {
  const Dispatcher = classOf(dispatcher);
  const origin = originOf(options, dispatcher);
  if (Dispatcher === undefined || origin === undefined || isOver(dispatcher)) return undefined;
  // Our own call, on its way from the agent to the pool and the connection.
  if (options.origin === routers.address) return undefined;
  const call = reroute(options, { caller, settings, origin, address: routers.address });
  return { call, router: routers.of(Dispatcher, isAgent(dispatcher)) };
}

/** A closed dispatcher refuses calls with its own error. */
function isOver({ closed, destroyed }) {
  return closed === true || destroyed === true;
}

/** Connections to the router, one for each class, so that each copy of undici opens its own. */
function createRouters({ router }) {
  const address = `http://${router.host}:${router.port}`;
  const opened = new WeakMap();
  const of = (Dispatcher, isForAll) => {
    const known = opened.get(Dispatcher) ?? open(Dispatcher, { isForAll, address });
    opened.set(Dispatcher, known);
    return known;
  };
  return { address, of };
}

function ownerOf(object, name) {
  let owner = Object.getPrototypeOf(object);
  while (owner !== null && !Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner);
  return owner;
}

function isCall(options, handler) {
  const isObject = typeof options === 'object' && options !== null;
  return (
    isObject && typeof options.path === 'string' && typeof handler === 'object' && handler !== null
  );
}

const classes = ['Agent', 'Pool', 'Client', 'BalancedPool', 'RoundRobinPool'];

/**
 * The class, in its own copy of undici, that opens connections; undefined for a dispatcher that
 * wraps another one. A subclass of the application may need other arguments than its base class; in
 * minified code the two cannot be told apart.
 */
function classOf(dispatcher) {
  let owner = Object.getPrototypeOf(dispatcher);
  while (owner !== null && !classes.includes(owner.constructor.name)) {
    owner = Object.getPrototypeOf(owner);
  }
  if (owner !== null) return owner.constructor;
  const isOpener = isAgent(dispatcher) || urlOf(dispatcher) || dispatcher.upstreams;
  return isOpener ? dispatcher.constructor : undefined;
}

/** An agent has a pool for every origin. */
function isAgent(dispatcher) {
  return hiddenIn(dispatcher, 'clients') instanceof Map;
}

function open(Dispatcher, { isForAll, address }) {
  return context.outside(() => (isForAll ? new Dispatcher() : new Dispatcher(address)));
}

/** Clients and pools have an origin; agents get it with every call. */
function originOf(options, dispatcher) {
  const { origin = urlOf(dispatcher) ?? dispatcher.upstreams?.[0] } = options;
  return origin === undefined ? undefined : new URL(origin);
}

function urlOf(dispatcher) {
  return hiddenIn(dispatcher, 'url')?.origin;
}

function hiddenIn(dispatcher, name) {
  const symbols = Object.getOwnPropertySymbols(dispatcher);
  const symbol = symbols.find(({ description }) => description === name);
  return symbol && dispatcher[symbol];
}

function addressOf(options, dispatcher) {
  const origin = originOf(options, dispatcher);
  return origin && targetAt(origin).address;
}

function targetAt({ protocol, hostname, port }) {
  const scheme = protocol === 'https:' || protocol === 'wss:' ? 'https' : 'http';
  return targetOf(scheme, hostname, port);
}

function reroute(options, { caller, settings, origin, address }) {
  const target = targetAt(origin);
  return {
    ...options,
    origin: address,
    headers: routedHeaders(options.headers, { caller, settings, target }),
  };
}

module.exports = { tagDispatcher };
