'use strict';

const threads = require('node:worker_threads');
const context = require('./context.cjs');
const { Exchanges } = require('./handled.cjs');
const { isWrapped, pull, unwrap, wrap } = require('./handed-over.cjs');
const { replace } = require('../replace.cjs');

/** Ports whose other side opens envelopes: ports of the application, never those of Node itself. */
const ports = new WeakMap();

function addPort(port) {
  if (!ports.has(port)) ports.set(port, new Exchanges());
}

/** Worker threads load the preload too, and messages of a keyed request carry its key. */
function tagThreads() {
  tagPorts();
  tagWorkers();
  tagChannels();
  if (threads.parentPort) addPort(threads.parentPort);
}

// Node calls listeners of both kinds, `on` and `addEventListener`, through the method with this
// name.
const dispatch = Symbol.for('nodejs.internal.kHybridDispatch');

function tagPorts() {
  const { prototype } = threads.MessagePort;
  replace(
    prototype,
    'postMessage',
    (direct) =>
      ({
        postMessage(...args) {
          if (args.length > 0 && ports.has(this)) {
            args[0] = wrap(args[0]);
            ports.get(this).ask();
          }
          return Reflect.apply(direct, this, args);
        },
      }).postMessage,
  );
  replace(
    prototype,
    dispatch,
    (deliver) =>
      function (value, ...rest) {
        // A side that sends envelopes can also open them.
        if (isWrapped(value)) addPort(this);
        if (!ports.has(this)) return Reflect.apply(deliver, this, [value, ...rest]);
        ports.get(this).answered++;
        const { message, hear } = unwrap(value);
        return hear(() => Reflect.apply(deliver, this, [message, ...rest]));
      },
  );
  replace(
    threads,
    'receiveMessageOnPort',
    (receive) =>
      function (...args) {
        const received = Reflect.apply(receive, this, args);
        if (received === undefined) {
          pull(undefined);
          return received;
        }
        received.message = pull(received);
        return received;
      },
  );
}

function tagWorkers() {
  const { Worker } = threads;
  threads.Worker = new Proxy(Worker, {
    construct(target, [file, options, ...rest], newTarget) {
      const args = [file, withEnvironment(options), ...rest];
      // A worker may outlive the request in a pool, and would keep the context that it was started
      // in.
      const worker = context.outside(() => Reflect.construct(target, args, newTarget));
      const port = publicPortOf(worker);
      if (port) addPort(port);
      return worker;
    },
  });
}

/** Through it, a worker exchanges messages with whoever made it. Node does not export its name. */
function publicPortOf(worker) {
  const symbols = Object.getOwnPropertySymbols(worker);
  return worker[symbols.find(({ description }) => description === 'kPublicPort')];
}

function withEnvironment(options) {
  const { env } = options ?? {};
  const isOwn = typeof env === 'object' && env !== null && env !== process.env;
  return isOwn
    ? { ...options, env: { ...env, ...require('./child-environment.cjs').childEnvironment(env) } }
    : options;
}

function tagChannels() {
  const { MessageChannel } = threads;
  const tagged = new Proxy(MessageChannel, {
    construct(target, args, newTarget) {
      const channel = Reflect.construct(target, args, newTarget);
      for (const port of [channel.port1, channel.port2]) addPort(port);
      return channel;
    },
  });
  threads.MessageChannel = tagged;
  if (globalThis.MessageChannel === MessageChannel) globalThis.MessageChannel = tagged;
}

module.exports = { tagThreads };
