'use strict';

const context = require('./context.cjs');
const { readKey } = require('../key/lane-key.cjs');

/**
 * The context that a call is made for: that of the keyed request handled here, or one for the key
 * that the application itself puts into the headers, as tracers do. In an instance of a lane, any
 * other call is the lane's too. Undefined without a key.
 */
function callerOf(headers, { header }) {
  return context.current() ?? callerNamedBy(headers, header) ?? context.ownCaller();
}

function callerNamedBy(headers, header) {
  if (headers === undefined || headers === null) return undefined;
  const key = readKey(headers, header);
  return key === undefined ? undefined : { key, handedOn: {}, isNamed: true };
}

/**
 * Listeners on this call's emitter run in the caller's context, as long as the caller has a key.
 */
function keepCaller(emitter, caller, onEmit) {
  if (!caller.isNamed) context.keep(emitter, caller, onEmit);
}

module.exports = { callerOf, keepCaller };
