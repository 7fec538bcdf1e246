'use strict';

const context = require('../context/context.cjs');
const { callerOf } = require('../context/caller.cjs');
const { routedHeaders, targetOf } = require('./routed-headers.cjs');

const tagged = new WeakSet();

/** An object that the application has made stays the same one. */
class Given {
  constructor(handler) {
    // biome-ignore lint/correctness/noConstructorReturn: what extends this adds to what it is given
    return handler;
  }
}

/**
 * What handles the answer to a call, marked with its caller: who tries again from a timer, or waits
 * in a pool, is sent for the same one, or for nobody as before. Nobody else can see the mark, and
 * unlike an entry in a WeakMap it costs next to nothing: every call of a service pays for it.
 */
class Marked extends Given {
  #caller;

  constructor(handler, caller) {
    super(handler);
    this.#caller = caller;
  }

  static has(handler) {
    return #caller in handler;
  }

  static callerOf(handler) {
    return handler.#caller;
  }
}

/**
 * undici is under the global fetch, WebSocket and EventSource, and is there as a package in any
 * number of copies and versions, bundled or not. All that they send goes through `dispatch`, in
 * the context of whoever sends it.
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
  prototype.dispatch = function (options, handler) {
    const caller = isCall(options, handler) ? callerBy(handler, options, settings) : undefined;
    const keyed = caller && rerouteFrom(this, options, { caller, settings, routers });
    if (keyed === undefined) return Reflect.apply(dispatch, this, [options, handler]);
    const kept = caller.isNamed ? handler : context.within(handler, caller);
    return Reflect.apply(dispatch, keyed.router, [keyed.call, kept]);
  };
}

function callerBy(handler, { headers }, settings) {
  if (Marked.has(handler)) return Marked.callerOf(handler);
  const caller = callerOf(headers, settings);
  new Marked(handler, caller);
  return caller;
}

/** Undefined when it hands the call on to others of its kind at once: we meet again there. */
function rerouteFrom(dispatcher, options, { caller, settings, routers }) {
  const Dispatcher = classOf(dispatcher);
  const origin = originOf(options, dispatcher);
  if (Dispatcher === undefined || origin === undefined || isOver(dispatcher)) return undefined;
  // Our own, on its way from the agent to the pool and the connection.
  if (options.origin === routers.address) return undefined;
  const call = reroute(options, { caller, settings, origin, address: routers.address });
  return { call, router: routers.of(Dispatcher, isAgent(dispatcher)) };
}

/** What is closed refuses calls in its own words. */
function isOver({ closed, destroyed }) {
  return closed === true || destroyed === true;
}

/** Connections to the router, for each class one that opens them in the way of its copy. */
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
 * The class of its own copy of undici that opens connections; undefined for what wraps another.
 * A class of the application may want other arguments than the one that it extends; where names
 * were made short, we have to take it as it is.
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

/** It has a pool for every origin. */
function isAgent(dispatcher) {
  return hiddenIn(dispatcher, 'clients') instanceof Map;
}

function open(Dispatcher, { isForAll, address }) {
  return context.outside(() => (isForAll ? new Dispatcher() : new Dispatcher(address)));
}

/** Clients and pools know theirs; agents are told with every call. */
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

function reroute(options, { caller, settings, origin, address }) {
  const { protocol, hostname, port } = origin;
  const scheme = protocol === 'https:' || protocol === 'wss:' ? 'https' : 'http';
  const target = targetOf(scheme, hostname, port);
  return {
    ...options,
    origin: address,
    headers: routedHeaders(options.headers, { caller, settings, target }),
  };
}

module.exports = { tagDispatcher };
