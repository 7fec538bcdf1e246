'use strict';

const { isMainThread } = require('node:worker_threads');
const context = require('./context.cjs');

/**
 * Work that is sent to another thread or process keeps its key: the message is put into an
 * envelope, which the preload on the other side opens before the application sees it.
 */
const envelope = 'surety-lane-of-message';

/** The other side does not learn when the request ends, so the key is limited in time there. */
const keyMsMax = 30_000;

function wrap(message) {
  const caller = context.current();
  return caller === undefined ? message : { [envelope]: caller.key, message };
}

function isWrapped(message) {
  return typeof message === 'object' && message !== null && Object.hasOwn(message, envelope);
}

/** Whether work arrives here as messages. Elsewhere messages are answers to earlier requests. */
const isHelper = !isMainThread || process.send !== undefined;

/** The message itself, and the context to handle it in: that of its sender, or none. */
function open(message) {
  const key = isWrapped(message) ? message[envelope] : undefined;
  if (isHelper) context.meet(key);
  if (key === undefined) return { message, served: undefined };
  const served = context.open(key);
  context.close(served, keyMsMax);
  return { message: message.message, served };
}

function unwrap(message) {
  const { message: content, served } = open(message);
  const hear = served === undefined ? context.outside : (run) => context.run(served, run);
  return { message: content, hear };
}

/**
 * For code that takes messages one by one, as pools do: it then works for the sender of this
 * message until it takes the next one. Code that waits for an answer keeps its own context.
 */
function pull(received) {
  const current = context.entered();
  const { message, served } = received === undefined ? {} : open(received.message);
  const isPulled = current !== undefined && pulled.has(current);
  if (isPulled || (served !== undefined && current?.key === undefined)) context.enter(served);
  if (served !== undefined) pulled.add(served);
  return message;
}

const pulled = new WeakSet();

module.exports = { wrap, unwrap, pull, isWrapped, keyMsMax };
