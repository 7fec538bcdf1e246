'use strict';

// As it is now: an application, or a test of one, may put another in its place.
const { performance } = globalThis;

/** Milliseconds since the process was started: even and exact. Everything is measured by it. */
const nowMs = () => performance.now();

/** When the process was started, by the wall, in fractions of a millisecond. */
let originMs = performance.timeOrigin;

/** A wall clock that was set meanwhile is followed, but not its jitter. */
const jitterMs = 50;

function followWall() {
  const offMs = Date.now() - nowMs() - originMs;
  if (Math.abs(offMs) > jitterMs) originMs += offMs;
}

const stamp = { low: 0, high: 0 };

/**
 * Nanoseconds since 1970 of a moment by `nowMs`, in two halves of 32 bits: they are more than a
 * number holds. The same object each time, to be read at once.
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
