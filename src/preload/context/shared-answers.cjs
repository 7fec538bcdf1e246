'use strict';

const { isWaiting, open } = require('./handled.cjs');
const { lose } = require('../key/losses.cjs');

/**
 * No tag keeps an answer of the candidate out of a cache or a promise that requests share. What can
 * be seen is that a request of others needed no call of its own: it waited when an answer came to a
 * keyed request, or it has the path of a keyed request that made calls.
 */

/** By method and path: the newest keyed request that called others. */
const callers = new Map();
const callersMax = 1_000;

/** An answer came to this keyed request. */
function noteAnswer({ request }) {
  for (const one of open) {
    if (one.key === request.key || !isWaiting(one)) continue;
    one.sharedWith ??= new Set();
    one.sharedWith.add(request);
  }
}

/** Called when a request is over. */
function tellSharedAnswers(handled) {
  const { key, callsMade, sharedWith } = handled;
  if (callsMade > 0) {
    if (key !== undefined) remember(handled);
    return;
  }
  if (sharedWith === undefined && callers.size === 0) return;
  const caller = callers.get(placeOf(handled));
  for (const request of sharedWith ?? []) if (request.key !== key) lose(request, 'answer');
  if (caller !== undefined && caller.key !== key) lose(caller, 'answer');
}

function remember(handled) {
  const place = placeOf(handled);
  if (place === undefined) return;
  callers.delete(place);
  callers.set(place, handled);
  if (callers.size > callersMax) callers.delete(callers.keys().next().value);
}

function placeOf({ message }) {
  return message?.url && `${message.method} ${message.url.split('?', 1)[0]}`;
}

module.exports = { noteAnswer, tellSharedAnswers };
