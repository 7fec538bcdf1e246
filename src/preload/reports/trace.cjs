'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { nowMs } = require('./clock.cjs');
const { Ids, nextSeed } = require('./otlp/ids.cjs');

const storage = new AsyncLocalStorage();

/** What a request leaves behind is still its own; a timer that goes on for ever is nobody's. */
const graceMs = 30_000;

/** One request that is served here, and what is known of it. It holds on to nothing else. */
class Trace {
  constructor(traceparent, lane) {
    this.traceparent = traceparent;
    /** Made when somebody asks for them: most requests are over before anybody does. */
    this.ids = undefined;
    this.seed = nextSeed();
    this.lane = lane;
    this.requestId = '';
    this.beganMs = nowMs();
    this.endedMs = Number.NaN;
    this.calls = 0;
    this.requestBytes = 0;
    this.responseBytes = -1;
    this.writtenBefore = 0;
    this.method = '';
    this.path = '';
    this.route = undefined;
    this.status = 0;
    this.rpcStatus = -1;
    this.isGone = false;
    /** A connection that goes on after its request. */
    this.isOpen = false;
    this.isTold = false;
    this.error = undefined;
    // Its share of the thread: see cpu.cjs.
    this.cpuUs = -1;
    this.isShared = false;
    this.cpuFromUs = 0;
    this.crowd = 0;
    this.epoch = 0;
    this.age = 0;
  }
}

function idsOf(trace) {
  trace.ids ??= new Ids(trace.traceparent, trace.seed);
  return trace.ids;
}

/** The request that this code runs for, as long as it has not been over for long. */
function currentTrace() {
  const trace = storage.getStore();
  if (trace === undefined || Number.isNaN(trace.endedMs) || trace.isOpen) return trace;
  return nowMs() > trace.endedMs + graceMs ? undefined : trace;
}

/** Newer Nodes forget it by themselves at the end of a callback; a second frame costs as much. */
const forgets = Number.parseInt(process.versions.node, 10) >= 24;

/** From here on this is for the request; false where it can only be run as a whole. */
function enter(trace) {
  if (forgets) storage.enterWith(trace);
  return forgets;
}

/** For the rest of what runs now, on all Nodes: who steps in also steps out again. */
const step = (trace) => storage.enterWith(trace);

const entered = () => storage.getStore();

const outside = (run) => (storage.getStore() === undefined ? run() : storage.run(undefined, run));

module.exports = {
  Trace,
  idsOf,
  currentTrace,
  enter,
  step,
  entered,
  outside,
  run: storage.run.bind(storage),
};
