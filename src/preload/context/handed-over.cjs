'use strict';

const { isMainThread, threadId } = require('node:worker_threads');
const context = require('./context.cjs');
const { Handled, watching } = require('./handled.cjs');

/**
 * Work that is sent to another thread or process keeps its request: the message is put into an
 * envelope, which the preload on the other side opens before the application sees it. An answer
 * comes back in an envelope of the same request. Messages of requests without a key have one only
 * while lanes are in use.
 */
const envelope = 'surety-lane-of-message';

/** The other side does not learn when the request ends, so the key is limited in time there. */
const keyMsMax = 30_000;

/** Requests of this thread whose work was sent, by their number. */
const sent = new Map();
const own = `${process.pid}.${threadId}.`;
let numbers = 0;

function wrap(message) {
  const serving = context.serving();
  const caller = context.current();
  if (caller === undefined && (!watching.isOn || isKeyed(serving))) return message;
  return { [envelope]: [caller?.key ?? '', originOf(serving)], message };
}

/** A request without a key, or none, has no key to lose. */
const isKeyed = (serving) => serving === undefined || serving.key !== undefined;

function originOf(serving) {
  if (serving.origin === undefined) {
    numbers++;
    serving.origin = own + numbers;
    serving.onRemove = () => sent.delete(serving.origin);
    sent.set(serving.origin, serving);
  }
  return serving.origin;
}

function isWrapped(message) {
  return typeof message === 'object' && message !== null && Object.hasOwn(message, envelope);
}

/** Whether work arrives here as messages. Elsewhere messages are answers to earlier requests. */
const isHelper = !isMainThread || process.send !== undefined;

/** The message itself, and the context to handle it in: that of its sender, or none. */
function open(message) {
  if (!isWrapped(message)) {
    if (isHelper) context.meet(undefined);
    return { message, served: undefined };
  }
  const [key, origin] = message[envelope];
  return { message: message.message, served: servedFor(key, origin) };
}

function servedFor(key, origin) {
  // An answer; nobody waits for it if its request is over.
  if (origin.startsWith(own)) return sent.get(origin);
  if (isHelper) context.meet(key || undefined);
  const served = key === '' ? new Handled(undefined, {}) : context.open(key);
  served.origin = origin;
  if (key !== '') context.close(served, keyMsMax);
  return served;
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
  if (isPulled || (served !== undefined && current?.request === undefined)) context.enter(served);
  if (served !== undefined) pulled.add(served);
  return message;
}

const pulled = new WeakSet();

module.exports = { wrap, unwrap, pull, isWrapped, keyMsMax };
