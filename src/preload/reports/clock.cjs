'use strict';

// Read now, because an application, or a test of one, may replace it.
const { performance } = globalThis;

/**
 * Milliseconds since the start of the process, monotonic and exact. Everything is measured by it.
 */
const nowMs = () => performance.now();

/** The wall-clock time at which the process started, in fractions of a millisecond. */
let originMs = performance.timeOrigin;

/** Follows a wall clock that was set, but not its jitter. */
const jitterMs = 50;

function followWall() {
  const offMs = Date.now() - nowMs() - originMs;
  if (Math.abs(offMs) > jitterMs) originMs += offMs;
}

const stamp = { low: 0, high: 0 };

/**
 * A moment of `nowMs` in nanoseconds since 1970, as two halves of 32 bits, because a number cannot
 * hold it. The same object each time, so read it at once.
 */
function stampOf(momentMs) {
  const wallMs = originMs + momentMs;
  const seconds = Math.floor(wallMs / 1_000);
  const nanoseconds = Math.round((wallMs - seconds * 1_000) * 1e6);
  const upper = Math.floor(seconds / 65_536) * 1e9;
  const lower = (upper % 65_536) * 65_536 + (seconds % 65_536) * 1e9 + nanoseconds;
  stamp.low = lower % 4_294_967_296;
  stamp.high = Math.floor(upper / 65_536) + Math.floor(lower / 4_294_967_296);
  return stamp;
}

module.exports = { nowMs, followWall, stampOf };
