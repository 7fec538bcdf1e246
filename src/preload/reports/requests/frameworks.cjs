'use strict';

const channels = require('node:diagnostics_channel');
const { routeOf } = require('./routes.cjs');
const { safely } = require('../safely.cjs');
const { currentTrace } = require('../trace.cjs');

function noteError(error) {
  const trace = currentTrace();
  if (trace !== undefined && error !== undefined && error !== null) trace.error ??= error;
}

function noteRoute(text) {
  const trace = currentTrace();
  if (trace !== undefined && typeof text === 'string') trace.route = routeOf(text);
}

/** Calls `note` with the first argument of a method before the method runs. */
function before(object, name, note) {
  const direct = object?.[name];
  if (typeof direct !== 'function') return;
  // Express recognises error handlers by their number of arguments.
  const noting = {
    [name](...args) {
      safely(note, args);
      return Reflect.apply(direct, this, args);
    },
  }[name];
  Object.defineProperty(noting, 'length', { value: direct.length });
  object[name] = noting;
}

/** Files of packages that know why a request failed: see packages.cjs. */
const files = {
  __proto__: null,
  'layer.js': {
    ends: ['/express/lib/router/layer.js', '/router/lib/layer.js'],
    tag: ({ prototype }) => {
      for (const name of ['handle_error', 'handleError'])
        before(prototype, name, ([error]) => noteError(error));
    },
  },
  'context.js': {
    ends: ['/koa/lib/context.js'],
    tag: (exported) => {
      before(exported, 'onerror', ([error]) => noteError(error));
      watchMatches(exported);
    },
  },
};

/** Koa has no routes; its routers write the matched route into the context of each request. */
function watchMatches(context) {
  const name = '_matchedRoute';
  Object.defineProperty(context, name, {
    configurable: true,
    get: () => undefined,
    set(path) {
      safely(noteRoute, path);
      const own = { value: path, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(this, name, own);
    },
  });
}

/**
 * Fastify publishes each new instance on a diagnostics channel; hooks are its own way to observe
 * requests.
 */
function watchFastify() {
  channels.channel('fastify.initialization').subscribe(({ fastify }) =>
    safely(() => {
      fastify.addHook('onRequest', (request, _, done) => {
        safely(() => noteRoute(request.routeOptions?.url ?? request.routerPath));
        done();
      });
      fastify.addHook('onError', (_, __, error, done) => {
        safely(() => noteError(error));
        done();
      });
    }),
  );
}

module.exports = { files, watchFastify, noteError };
