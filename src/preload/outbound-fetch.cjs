'use strict';

const context = require('./context.cjs');
const { routedHeaders, targetOf } = require('./routed-headers.cjs');

/** What fetch reads of its second argument, which may be any object, with getters as well. */
const fetchOptions = [
  'method',
  'headers',
  'body',
  'referrer',
  'referrerPolicy',
  'mode',
  'credentials',
  'cache',
  'redirect',
  'integrity',
  'keepalive',
  'signal',
  'duplex',
  'priority',
  'window',
];

/**
 * A keyed fetch gets a dispatcher of its own. That is below bodies, redirects and everything else
 * that fetch does, so that an application sees the fetch that it knows.
 */
function tagFetch(settings) {
  const direct = globalThis.fetch;
  const connections = lazily(openConnections);
  globalThis.fetch = function fetch(...args) {
    const caller = context.current();
    if (caller === undefined || !isUsual(args)) return direct(...args);
    const [input, init] = args;
    return direct(input, withDispatcher(init, { key: caller.key, connections, settings }));
  };
}

/** What is not is refused by fetch, in its own words, before anything is sent. */
function isUsual([input, init = {}]) {
  return input !== undefined && (typeof init === 'object' || typeof init === 'function');
}

function withDispatcher(init, { key, connections, settings }) {
  const given = fetchOptions.map((name) => [name, init?.[name]]);
  const options = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const dispatch = (call, handler) =>
    connections().dispatch(reroute(call, { key, ...settings }), handler);
  return { ...options, dispatcher: { dispatch } };
}

function reroute(call, { router, key, service }) {
  const { protocol, hostname, port } = new URL(call.origin);
  const target = targetOf(protocol.slice(0, -1), hostname, port);
  return {
    ...call,
    origin: `http://${router.host}:${router.port}`,
    headers: routedHeaders(call.headers, { key, service, target }),
  };
}

const globalDispatcher = Symbol.for('undici.globalDispatcher.1');

/**
 * Node shows its own undici by this symbol alone, and only once that is loaded. It is loaded late:
 * it would cost every service 20 ms at its start. A stranger among dispatchers (a proxy, a mock)
 * can't be made anew, so it serves us as well; its connections are by origin, and ours is our own.
 */
function openConnections() {
  void globalThis.Headers;
  const { [globalDispatcher]: dispatcher } = globalThis;
  const Dispatcher = dispatcher.constructor;
  const isKnown = ['Agent', 'EnvHttpProxyAgent'].includes(Dispatcher.name);
  return isKnown ? new Dispatcher({ noProxy: '*' }) : dispatcher;
}

function lazily(make) {
  let made;
  return () => {
    made ??= make();
    return made;
  };
}

module.exports = { tagFetch };
