'use strict';

const { nowMs } = require('../clock.cjs');
const { Durations } = require('./durations.cjs');

/**
 * Node only reports garbage collections by one object each, and keeps some 10 KB per object until
 * its next full collection, which enlarges the space for new objects. So this many are recorded per
 * interval on average; after more, recording pauses for as many intervals as that makes up for.
 */
const notedPerLook = 10;
/** At most this many at a time, so that little memory is held at once. */
const notedMax = 200;

/**
 * Garbage collections by kind, with the names of OpenTelemetry. The service stands still meanwhile.
 */
class Garbage {
  /** The size of the heap after the last full collection; 0 before the first. */
  leftBytes = 0;
  isWatched = false;
  #kinds;
  #isExact;
  #noted = 0;
  #rests = 0;
  #fromMs = 0;
  /** For how long collections were recorded. Nothing is estimated for the pauses. */
  #watched = { name: 'surety.gc.watched_time', unit: 's', value: 0, labels: {}, isSum: true };

  /**
   * A candidate lives for minutes and is compared meanwhile, so all of its collections are
   * recorded.
   */
  constructor(isExact) {
    const { constants } = require('node:perf_hooks');
    const kinds = ['minor', 'major', 'incremental', 'weakcb'];
    this.#kinds = new Map(
      kinds.map((kind) => [
        constants[`NODE_PERFORMANCE_GC_${kind.toUpperCase()}`],
        new Durations('v8js.gc.duration', { 'v8js.gc.type': kind }),
      ]),
    );
    this.#isExact = isExact;
  }

  note(kind, durationMs, atMs = nowMs()) {
    this.#kinds.get(kind)?.add(durationMs);
    if (++this.#noted >= notedMax && !this.#isExact) this.#pause(atMs);
  }

  /** All collections since the start of the recording; earlier ones are unknown. */
  look(atMs = nowMs()) {
    this.#pause(atMs);
    if (!this.#isExact) this.#rests += Math.max(0, Math.ceil(this.#noted / notedPerLook) - 1);
    this.#noted = 0;
    this.#fromMs = atMs;
    this.isWatched = this.#rests === 0;
    if (!this.isWatched) this.#rests--;
    const metrics = [...this.#kinds.values(), this.#watched];
    const left = { name: 'v8js.memory.heap.left', unit: 'By', value: this.leftBytes, labels: {} };
    return this.leftBytes === 0 ? metrics : [...metrics, left];
  }

  #pause(atMs) {
    if (this.isWatched) this.#watched.value += (atMs - this.#fromMs) / 1_000;
    this.isWatched = false;
  }
}

/** Returns a function that gives their metrics. */
function watchGarbage(isExact) {
  const { PerformanceObserver, constants } = require('node:perf_hooks');
  const garbage = new Garbage(isExact);
  let isObserving = false;
  const observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries()) {
      if (detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
        garbage.leftBytes = process.memoryUsage().heapUsed;
      garbage.note(detail?.kind, duration);
    }
    follow();
  });
  const follow = () => {
    if (garbage.isWatched === isObserving) return;
    isObserving = garbage.isWatched;
    if (isObserving) observer.observe({ entryTypes: ['gc'] });
    else observer.disconnect();
  };
  return () => {
    const metrics = garbage.look();
    follow();
    return metrics;
  };
}

module.exports = { Garbage, watchGarbage };
