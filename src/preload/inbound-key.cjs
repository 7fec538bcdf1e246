'use strict';

const { readKey } = require('./lane-key.cjs');
const { createReport } = require('./report.cjs');
const { keyOfTrace } = require('./trace-tag.cjs');

/** What tells the lane of an inbound request, and what its calls hand on besides. */
function createFinder(settings) {
  const { header, traceSecret, service } = settings;
  const carriers = ['baggage', 'tracestate', header, traceSecret && 'traceparent'].filter(Boolean);
  const report = createReport(settings);
  return {
    mayCarry: createPrecheck(carriers),
    find(headers) {
      const key = readKey(headers, header);
      if (key !== undefined) return { key, handedOn: handedOn(headers), isRecovered: false };
      const { traceparent } = headers;
      const recovered = traceparent && keyOfTrace(traceparent, traceSecret);
      return recovered
        ? { key: recovered, handedOn: handedOn(headers), isRecovered: true }
        : undefined;
    },
    /** It came past the router: whoever sent it here had lost the key on the way. */
    report({ key }, headers, { method, url }) {
      const from = headers['x-surety-from'];
      report({ key, from, at: service, method, path: url });
    },
  };
}

/**
 * Whether one of the headers is there at all, before anybody parses them: an application that
 * looks at none of them pays for none of them. By length and first letter, mostly.
 */
function createPrecheck(names) {
  const lengths = names.map((name) => name.length);
  const byLength = Array.from({ length: Math.max(...lengths) + 1 }, (_, length) =>
    lengths.includes(length) ? names.filter((name) => name.length === length) : undefined,
  );
  return (rawHeaders) => {
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const wanted = byLength[rawHeaders[index].length];
      if (wanted !== undefined && isOneOf(wanted, rawHeaders[index])) return true;
    }
    return false;
  };
}

function isOneOf(wanted, name) {
  for (const one of wanted) {
    // All names are in small letters; this makes small ones of capital ones.
    const isLike = (name.charCodeAt(0) | 32) === one.charCodeAt(0);
    if (isLike && name.toLowerCase() === one) return true;
  }
  return false;
}

/** So that the hops of one request can be found together. Tracers that know better do better. */
function handedOn({ traceparent, 'x-request-id': requestId }) {
  return {
    ...(traceparent ? { traceparent } : {}),
    ...(requestId ? { 'x-request-id': requestId } : {}),
  };
}

module.exports = { createFinder };
