'use strict';

const context = require('../context/context.cjs');
const { createConsumer } = require('./consumer.cjs');
const { addKey, readKey } = require('../key/lane-key.cjs');
const { isPlainPromise } = require('../context/plain-promise.cjs');

/**
 * A handler may start work and return, so nobody knows when a message has been processed. The key
 * is valid for this long. A test compares it with laneLimits.messageKeyMs, because the preload must
 * not load the kernel.
 */
const messageMs = 30_000;

/** What the clients of all queues need to know about lanes. */
function createMessages(settings) {
  const { service, instance, lane, header, reports } = settings;
  const { isCandidate, find } = createConsumer(settings);
  return {
    isCandidate,
    lane,
    /** Reports messages to telemetry; undefined without telemetry. */
    reported: reports?.messaging(),
    /**
     * Finds who consumes a message: `mine`, `theirs` or `refused`, and the name of the instance.
     */
    find,
    whose: async (message) => (await find(message)).whose,
    /** The queue of a candidate, in place of one that all consumers share. */
    queueOf: (queue, consumer = instance) => `${queue}.${consumer}`,
    /**
     * The headers to add to a message, by name; undefined without a key. `given` is also by name.
     */
    headersToSend(given) {
      const caller = context.current();
      // Messages that a candidate sends outside of any request belong to its lane.
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

/** Names in lower case with one text each, in whatever form the client has them. */
function plainHeaders(entries) {
  const headers = {};
  for (const [name, value] of entries) headers[name.toLowerCase()] = [value].flat().join(',');
  return headers;
}

module.exports = { createMessages, plainHeaders, messageMs };
