'use strict';

const context = require('../context/context.cjs');
const { createConsumer } = require('./consumer.cjs');
const { addKey, readKey } = require('../key/lane-key.cjs');
const { isPlainPromise } = require('../context/plain-promise.cjs');

/**
 * Nobody tells when a message has been dealt with: a handler may have started something and
 * returned. For this long it is on behalf of the message; then its key is of no use any more.
 * A test compares it with laneLimits.messageKeyMs: nothing of a service may load the kernel.
 */
const messageMs = 30_000;

/** What a client of any queue needs to know of lanes. */
function createMessages(settings) {
  const { service, instance, lane, header, reports } = settings;
  const { isCandidate, find } = createConsumer(settings);
  return {
    isCandidate,
    lane,
    /** Who tells of messages; undefined when nobody does. */
    reported: reports?.messaging(),
    /** Whose a message is, and the name of the instance that consumes it. */
    find,
    whose: async (message) => (await find(message)).whose,
    /** What the candidate consumes from in place of a queue that all consumers share. */
    queueOf: (queue, consumer = instance) => `${queue}.${consumer}`,
    /** What is sent besides, by name; undefined for a message of nobody. `given` is by name. */
    headersToSend(given) {
      const caller = context.current();
      // What a candidate does by itself belongs to its lane, and is none of the baseline's work.
      const key = caller?.key ?? readKey(given, header) ?? lane;
      if (key === undefined) return undefined;
      return {
        ...caller?.handedOn,
        ...given,
        baggage: addKey('baggage', given.baggage, key),
        tracestate: addKey('tracestate', given.tracestate, key),
        'x-surety-from': service,
      };
    },
    /** Undefined for a message without a key. */
    read(headers) {
      const key = readKey(headers, header);
      if (key === undefined) return undefined;
      const { traceparent, 'x-surety-from': from } = headers;
      return { key, from, handedOn: traceparent ? { traceparent } : {} };
    },
    open: ({ key, handedOn }) => context.open(key, handedOn),
    /** Runs a handler on behalf of a message. */
    serve(opened, handler) {
      const result = context.run(opened, handler);
      if (isPlainPromise(result)) {
        const over = () => context.close(opened);
        result.then(over, over);
      } else context.close(opened, messageMs);
      return result;
    },
    refuse({ key, name }) {
      process.stderr.write(
        `surety: a message on ${name} was refused: its lane ${key} has ended or is not known.\n`,
      );
    },
  };
}

/** Names in small letters, one text each, whatever the client has them in. */
function plainHeaders(entries) {
  const headers = {};
  for (const [name, value] of entries) headers[name.toLowerCase()] = [value].flat().join(',');
  return headers;
}

module.exports = { createMessages, plainHeaders, messageMs };
