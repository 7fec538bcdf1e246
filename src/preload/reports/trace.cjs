'use strict';

const context = require('../context/context.cjs');
const { outside, traces: storage } = require('../context/storages.cjs');
const { nowMs } = require('./clock.cjs');
const { Ids, nextSeed } = require('./otlp/ids.cjs');

/** Work that a request leaves behind still belongs to it; a timer that runs for ever does not. */
const graceMs = 30_000;

/** One request that is handled here, and its facts. It refers to nothing else. */
class Trace {
  constructor(traceparent, lane) {
    this.traceparent = traceparent;
    /** Computed on demand: most requests end before anybody asks. */
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
    /** A connection that stays open after its request. */
    this.isOpen = false;
    this.isTold = false;
    this.error = undefined;
    // Its share of the thread's CPU time: see cpu.cjs.
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

/** The request that this code runs for, unless that ended long ago. */
function currentTrace() {
  const trace = storage.getStore();
  if (trace === undefined || Number.isNaN(trace.endedMs) || trace.isOpen) return trace;
  return nowMs() > trace.endedMs + graceMs ? undefined : trace;
}

/**
 * The trace that a call carries. The trace of a lane's request identifies the lane, so it is given
 * only to calls that also carry the key.
 */
function traceOfCall() {
  const trace = currentTrace();
  return trace?.lane === undefined || context.peek()?.key === trace.lane ? trace : undefined;
}

/**
 * Newer versions of Node drop the context at the end of a callback; a second frame would cost as
 * much.
 */
const forgets = Number.parseInt(process.versions.node, 10) >= 24;

/** Continues for the request; false if its code can only be run as a whole. */
function enter(trace) {
  if (forgets) storage.enterWith(trace);
  return forgets;
}

/**
 * For the rest of the current execution, in all versions of Node; every step in has its step out.
 */
const step = (trace) => storage.enterWith(trace);

const entered = () => storage.getStore();

module.exports = {
  Trace,
  idsOf,
  currentTrace,
  traceOfCall,
  enter,
  step,
  entered,
  outside,
  run: storage.run.bind(storage),
};
