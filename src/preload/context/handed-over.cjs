'use strict';

const { isMainThread } = require('node:worker_threads');
const context = require('./context.cjs');

/**
 * Work that is handed to another thread or process takes its key along: the message is put into
 * an envelope that the preload on the other side opens before the application sees it.
 */
const envelope = 'surety-lane-of-message';

/** Over there, the end of the request is not known; its key must not outlive it for long. */
const keyMsMax = 30_000;

function wrap(message) {
  const caller = context.current();
  return caller === undefined ? message : { [envelope]: caller.key, message };
}

function isWrapped(message) {
  return typeof message === 'object' && message !== null && Object.hasOwn(message, envelope);
}

/** Where requests come as messages; elsewhere, messages are answers to requests met before. */
const isHelper = !isMainThread || process.send !== undefined;

/** What it says, and on whose behalf it is heard: on that of its sender, or on nobody's. */
function open(message) {
  const key = isWrapped(message) ? message[envelope] : undefined;
  if (isHelper) context.meet(key);
  if (key === undefined) return { message, served: undefined };
  const served = context.open(key);
  context.close(served, keyMsMax);
  return { message: message.message, served };
}

function unwrap(message) {
  const { message: said, served } = open(message);
  const hear = served === undefined ? context.outside : (run) => context.run(served, run);
  return { message: said, hear };
}

/**
 * For who takes messages one by one, as pools do that wait for them: from here on it works for
 * the sender of this one, until it looks for the next. Who waits for an answer stays who it is.
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
