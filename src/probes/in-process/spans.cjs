'use strict';

const openMax = 1_000;
const openUsMax = 60_000_000;

/**
 * Pairs ends with beginnings by what both know: the arguments of their function, by identity. Calls
 * that wait overlap, so the newest beginning with the same arguments is not always the last one.
 */
function createSpans({ now }) {
  let open = [];

  function begin(keys) {
    const at = now();
    if (open.length >= openMax)
      open = open.filter((span) => at - span.at < openUsMax).slice(-openMax / 2);
    open.push({ at, keys });
  }

  /** Milliseconds, or undefined for an end whose beginning was not seen. */
  function finish(keys) {
    for (let index = open.length - 1; index >= 0; index--) {
      const span = open[index];
      if (!isSame(span.keys, keys)) continue;
      open.splice(index, 1);
      return (now() - span.at) / 1_000;
    }
    return undefined;
  }

  return { begin, finish, forget: () => (open = []) };
}

function isSame(some, others) {
  return some.length === others.length && some.every((one, index) => Object.is(one, others[index]));
}

module.exports = { createSpans };
