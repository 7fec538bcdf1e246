'use strict';

const { Durations } = require('./durations.cjs');

/** Garbage collections by their kind, as OpenTelemetry calls them: the service stands still. */
let collections;
/** What was left of the heap after the last one that looked at all of it; 0 before the first. */
let leftBytes = 0;

/**
 * Node has no other way to tell than an object for each: a few microseconds for each collection,
 * of which there is one in hundreds of requests.
 */
function watchGarbage() {
  const { PerformanceObserver, constants } = require('node:perf_hooks');
  collections = new Map(
    ['minor', 'major', 'incremental', 'weakcb'].map((kind) => [
      constants[`NODE_PERFORMANCE_GC_${kind.toUpperCase()}`],
      new Durations('v8js.gc.duration', { 'v8js.gc.type': kind }),
    ]),
  );
  const observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries()) {
      collections.get(detail?.kind)?.add(duration);
      if (detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
        leftBytes = process.memoryUsage().heapUsed;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** Of those since the first look: what was before is not known. */
function garbageOf() {
  if (collections === undefined) watchGarbage();
  const left = { name: 'v8js.memory.heap.left', unit: 'By', value: leftBytes, labels: {} };
  return leftBytes === 0 ? [...collections.values()] : [...collections.values(), left];
}

module.exports = { garbageOf };
