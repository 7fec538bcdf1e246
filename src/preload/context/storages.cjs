'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');

/** The request that code runs for, and its trace in reports. */
const requests = new AsyncLocalStorage();
const traces = new AsyncLocalStorage();

/** Runs for nobody: what outlives a request must not carry its key or trace to the next one. */
function outside(run) {
  const isNobody = requests.getStore() === undefined && traces.getStore() === undefined;
  return isNobody ? run() : requests.run(undefined, () => traces.run(undefined, run));
}

/** The request and trace that code runs for now. */
function place() {
  return { request: requests.getStore(), trace: traces.getStore() };
}

function runAt({ request, trace }, run) {
  if (requests.getStore() === request && traces.getStore() === trace) return run();
  return requests.run(request, () => traces.run(trace, run));
}

/** Binds a callback to the current request and trace, whoever calls it. */
function bound(callback) {
  if (typeof callback !== 'function') return callback;
  const here = place();
  return function (...args) {
    return runAt(here, () => Reflect.apply(callback, this, args));
  };
}

module.exports = { requests, traces, outside, bound, place, runAt };
