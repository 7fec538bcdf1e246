'use strict';

const context = require('./context.cjs');
const { readKey } = require('../key/lane-key.cjs');
const { isExporter } = require('../outbound/exporters.cjs');

/**
 * The context that a call is made for: that of the keyed request handled here, or one for the key
 * that the application itself puts into the headers, as tracers do. In an instance of a lane, any
 * other call is the lane's too. Undefined without a key. `addressOf` finds out who is called; most
 * calls have no key, and need not pay for that.
 */
function callerOf(headers, { header }, addressOf) {
  const caller =
    context.current(addressOf) ?? callerNamedBy(headers, header) ?? context.ownCaller();
  return caller !== undefined && isExporter(addressOf()) ? undefined : caller;
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
