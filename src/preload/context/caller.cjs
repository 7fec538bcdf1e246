'use strict';

const context = require('./context.cjs');
const { readKey } = require('../key/lane-key.cjs');

/**
 * On whose behalf a call is made: of the keyed request that is served here, or of the lane whose
 * key the application itself puts into the headers, as tracers do. Undefined for everybody else.
 */
function callerOf(headers, { header }) {
  return context.current() ?? callerNamedBy(headers, header);
}

function callerNamedBy(headers, header) {
  if (headers === undefined || headers === null) return undefined;
  const key = readKey(headers, header);
  return key === undefined ? undefined : { key, handedOn: {}, isNamed: true };
}

/** What listens to this call's emitter is on behalf of the caller, for as long as it has a key. */
function keepCaller(emitter, caller, onEmit) {
  if (!caller.isNamed) context.keep(emitter, caller, onEmit);
}

module.exports = { callerOf, keepCaller };
