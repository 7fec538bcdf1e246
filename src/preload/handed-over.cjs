'use strict';

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

/** What it says, and in what context it is to be heard: that of its sender, or nobody's. */
function unwrap(message) {
  if (!isWrapped(message)) return { message, hear: context.outside };
  const served = context.open(message[envelope]);
  context.close(served, keyMsMax);
  return { message: message.message, hear: (run) => context.run(served, run) };
}

module.exports = { wrap, unwrap, isWrapped, keyMsMax };
