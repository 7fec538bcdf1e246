'use strict';

const { nowMs } = require('./clock.cjs');
const { Durations } = require('./durations.cjs');

/**
 * Node has no other way to tell than an object for each collection, of which it keeps some 10 KB
 * until its next full one: space for new objects grows by that. Of more than this between two
 * looks, the rest is estimated.
 */
const notedMax = 10;

/** Collections of one kind: those since the last look, and all before. */
class Collections {
  #noted = { count: 0, ms: 0 };

  constructor(kind) {
    this.durations = new Durations('v8js.gc.duration', { 'v8js.gc.type': kind });
  }

  note(durationMs) {
    this.#noted.count++;
    this.#noted.ms += durationMs;
  }

  /** `share` is the part of the time in which they were noted. */
  take(share) {
    this.durations.count += Math.round(this.#noted.count / share);
    this.durations.value += this.#noted.ms / share / 1_000;
    this.#noted = { count: 0, ms: 0 };
    return this.durations;
  }
}

/** Garbage collections by their kind, as OpenTelemetry calls them: the service stands still. */
class Garbage {
  /** What was left of the heap after the last one that looked at all of it; 0 before the first. */
  leftBytes = 0;
  #kinds;
  #most;
  #noted = 0;
  #fromMs;
  #untilMs;

  /** A candidate lives for minutes, and is compared meanwhile: of it, all are noted. */
  constructor(isExact, fromMs = nowMs()) {
    const { constants } = require('node:perf_hooks');
    const kinds = ['minor', 'major', 'incremental', 'weakcb'];
    this.#kinds = new Map(
      kinds.map((kind) => [
        constants[`NODE_PERFORMANCE_GC_${kind.toUpperCase()}`],
        new Collections(kind),
      ]),
    );
    this.#most = isExact ? Number.POSITIVE_INFINITY : notedMax;
    this.#fromMs = fromMs;
  }

  /** False when no more are to be noted before the next look. */
  note(kind, durationMs, atMs = nowMs()) {
    this.#kinds.get(kind)?.note(durationMs);
    if (++this.#noted >= this.#most) this.#untilMs ??= atMs;
    return this.#untilMs === undefined;
  }

  /** Of all since the first look: what was before is not known. */
  look(atMs = nowMs()) {
    const notedMs = (this.#untilMs ?? atMs) - this.#fromMs;
    const share = notedMs > 0 ? notedMs / (atMs - this.#fromMs) : 1;
    const told = [...this.#kinds.values()].map((one) => one.take(share));
    this.#noted = 0;
    this.#fromMs = atMs;
    this.#untilMs = undefined;
    const left = { name: 'v8js.memory.heap.left', unit: 'By', value: this.leftBytes, labels: {} };
    return this.leftBytes === 0 ? told : [...told, left];
  }
}

/** Gives what tells of them at each look. */
function watchGarbage(isExact) {
  const { PerformanceObserver, constants } = require('node:perf_hooks');
  const garbage = new Garbage(isExact);
  let isWatching = false;
  const observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries()) {
      if (detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
        garbage.leftBytes = process.memoryUsage().heapUsed;
      isWatching = garbage.note(detail?.kind, duration);
    }
    if (!isWatching) observer.disconnect();
  });
  return () => {
    if (!isWatching) observer.observe({ entryTypes: ['gc'] });
    isWatching = true;
    return garbage.look();
  };
}

module.exports = { Garbage, watchGarbage };
