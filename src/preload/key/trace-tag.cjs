'use strict';

const { createHmac, timingSafeEqual } = require('node:crypto');

/**
 * Trace ids of keyed requests begin with this marker, the number of their lane (8 hex digits) and a
 * signature of that number (6). If a hop drops the key and keeps the trace, they identify the lane.
 */
const marker = '00-5e1a';

/** The key under which the router finds a lane by its trace ids; undefined for other trace ids. */
function keyOfTrace(traceparent, secret) {
  // Nearly every trace returns here, so it must cost nothing.
  if (secret === undefined || !traceparent.startsWith(marker)) return undefined;
  const lane = traceparent.slice(7, 15);
  const signature = traceparent.slice(15, 21);
  if (!/^[0-9a-f]{14}$/.test(lane + signature)) return undefined;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(lane, secret)))
    ? `trace-${lane}`
    : undefined;
}

function signatureOf(lane, secret) {
  return createHmac('sha256', secret).update(Buffer.from(lane, 'hex')).digest('hex').slice(0, 6);
}

module.exports = { keyOfTrace };
