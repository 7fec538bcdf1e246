'use strict';

const { readFaults, readKey } = require('../key/lane-key.cjs');
const { createReport } = require('../key/report.cjs');
const { keyOfTrace } = require('../key/trace-tag.cjs');

/** Finds the lane of an inbound request, and the headers that its calls pass on. */
function createFinder(settings) {
  const { header, traceSecret, service } = settings;
  const report = createReport(settings);
  return {
    find(headers) {
      const key = readKey(headers, header);
      if (key !== undefined) return { key, handedOn: handedOn(headers), isRecovered: false };
      const { traceparent } = headers;
      const recovered = traceparent && keyOfTrace(traceparent, traceSecret);
      return recovered
        ? { key: recovered, handedOn: handedOn(headers), isRecovered: true }
        : undefined;
    },
    /**
     * A request without its key bypassed the router: its sender lost the key on the way. One with
     * its key did so only if the lane has its own instance of this service, which the router knows.
     */
    report({ key, isRecovered }, { method, url, headers }) {
      const { 'x-surety-from': from, traceparent, 'x-request-id': requestId } = headers;
      const about = { key, from, at: service, method, path: url };
      if (isRecovered) report(about);
      else
        report({
          ...about,
          handedOn: { traceparent, 'x-request-id': requestId },
          isIfChanged: true,
        });
    },
  };
}

/** Lets the hops of one request be found together, unless a tracer sets these headers itself. */
function handedOn({ traceparent, 'x-request-id': requestId, baggage }) {
  const faults = readFaults(baggage);
  return {
    ...(traceparent ? { traceparent } : {}),
    ...(requestId ? { 'x-request-id': requestId } : {}),
    ...(faults ? { baggage: faults } : {}),
  };
}

module.exports = { createFinder };
