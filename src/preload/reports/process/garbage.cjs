'use strict';

const { nowMs } = require('../clock.cjs');
const { Durations } = require('./durations.cjs');

/**
 * Node has no other way to tell than an object for each collection, of which it keeps some 10 KB
 * until its next full one: space for new objects grows by that. So this many are noted from one
 * look to the next, on average: after more, none is for as many looks as that makes up for.
 */
const notedPerLook = 10;
/** And this many at a time, so that little is kept at once. */
const notedMax = 200;

/** Garbage collections by their kind, as OpenTelemetry calls them: the service stands still. */
class Garbage {
  /** What was left of the heap after the last one that looked at all of it; 0 before the first. */
  leftBytes = 0;
  isWatched = false;
  #kinds;
  #isExact;
  #noted = 0;
  #rests = 0;
  #fromMs = 0;
  /** How long they were watched: nothing is guessed of the time between. */
  #watched = { name: 'surety.gc.watched_time', unit: 's', value: 0, labels: {}, isSum: true };

  /** A candidate lives for minutes, and is compared meanwhile: of it, all are noted. */
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

  /** Of all since the first look: what was before is not known. */
  look(atMs = nowMs()) {
    this.#pause(atMs);
    if (!this.#isExact) this.#rests += Math.max(0, Math.ceil(this.#noted / notedPerLook) - 1);
    this.#noted = 0;
    this.#fromMs = atMs;
    this.isWatched = this.#rests === 0;
    if (!this.isWatched) this.#rests--;
    const told = [...this.#kinds.values(), this.#watched];
    const left = { name: 'v8js.memory.heap.left', unit: 'By', value: this.leftBytes, labels: {} };
    return this.leftBytes === 0 ? told : [...told, left];
  }

  #pause(atMs) {
    if (this.isWatched) this.#watched.value += (atMs - this.#fromMs) / 1_000;
    this.isWatched = false;
  }
}

/** Gives what tells of them at each look. */
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
    const told = garbage.look();
    follow();
    return told;
  };
}

module.exports = { Garbage, watchGarbage };
