'use strict';

const threads = require('node:worker_threads');
const context = require('./context.cjs');
const { isWrapped, pull, unwrap, wrap } = require('./handed-over.cjs');

/** Ports whose other side opens envelopes: ports of the application, never those of Node itself. */
const ports = new WeakSet();

/** Worker threads load the preload too, and messages of a keyed request carry its key. */
function tagThreads() {
  tagPorts();
  tagWorkers();
  tagChannels();
  if (threads.parentPort) ports.add(threads.parentPort);
}

// Node calls listeners of both kinds, `on` and `addEventListener`, through the method with this
// name.
const dispatch = Symbol.for('nodejs.internal.kHybridDispatch');

function tagPorts() {
  const { prototype } = threads.MessagePort;
  const { postMessage, [dispatch]: deliver } = prototype;
  prototype.postMessage = function (value, ...rest) {
    return Reflect.apply(postMessage, this, [ports.has(this) ? wrap(value) : value, ...rest]);
  };
  prototype[dispatch] = function (value, ...rest) {
    // A side that sends envelopes can also open them.
    if (isWrapped(value)) ports.add(this);
    if (!ports.has(this)) return Reflect.apply(deliver, this, [value, ...rest]);
    const { message, hear } = unwrap(value);
    return hear(() => Reflect.apply(deliver, this, [message, ...rest]));
  };
  const { receiveMessageOnPort } = threads;
  threads.receiveMessageOnPort = (port) => {
    const received = receiveMessageOnPort(port);
    const message = pull(received);
    return received && { message };
  };
}

function tagWorkers() {
  const { Worker } = threads;
  const { postMessage } = Worker.prototype;
  const tagged = new WeakSet();
  Worker.prototype.postMessage = function (value, ...rest) {
    return Reflect.apply(postMessage, this, [tagged.has(this) ? wrap(value) : value, ...rest]);
  };
  threads.Worker = new Proxy(Worker, {
    construct(target, [file, options, ...rest], newTarget) {
      const args = [file, withEnvironment(options), ...rest];
      // A worker may outlive the request in a pool, and would keep the context that it was started
      // in.
      const worker = context.outside(() => Reflect.construct(target, args, newTarget));
      tagged.add(worker);
      return worker;
    },
  });
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
      for (const port of [channel.port1, channel.port2]) ports.add(port);
      return channel;
    },
  });
  threads.MessageChannel = tagged;
  if (globalThis.MessageChannel === MessageChannel) globalThis.MessageChannel = tagged;
}

module.exports = { tagThreads };
