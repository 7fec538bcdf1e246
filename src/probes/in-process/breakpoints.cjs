'use strict';

/**
 * Breakpoints that never pause. V8 allows one in each place, so that the probes of one place share
 * it: its condition is then all of theirs.
 */
function createBreakpoints({ post }) {
  const places = new Map();

  function set(owner, points) {
    for (const { location, condition } of points) {
      const key = keyOf(location);
      const place = places.get(key) ?? { location, conditions: [], id: undefined };
      place.conditions.push({ owner, condition });
      places.set(key, place);
      renew(key, place);
    }
  }

  function clear(owner) {
    for (const [key, place] of [...places]) {
      const others = place.conditions.filter((one) => one.owner !== owner);
      if (others.length === place.conditions.length) continue;
      place.conditions = others;
      renew(key, place);
    }
  }

  function renew(key, place) {
    if (place.id !== undefined) post('Debugger.removeBreakpoint', { breakpointId: place.id });
    place.id = undefined;
    if (place.conditions.length === 0) return places.delete(key);
    const condition = combine(place.conditions.map((one) => one.condition));
    const params = { location: place.location, condition };
    try {
      place.id = post('Debugger.setBreakpoint', params).breakpointId;
    } catch (error) {
      places.delete(key);
      throw error;
    }
  }

  return { set, clear, size: () => places.size };
}

function keyOf({ scriptId, lineNumber, columnNumber }) {
  return `${scriptId}:${lineNumber}:${columnNumber}`;
}

/** One that throws must not keep the next one from being evaluated. */
function combine(conditions) {
  if (conditions.length === 1) return conditions[0];
  return `${conditions.map((one) => `(()=>{try{${one}}catch{}})()`).join(',')},false`;
}

module.exports = { createBreakpoints };
