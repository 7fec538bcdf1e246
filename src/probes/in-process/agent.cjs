'use strict';

const { createInstruments } = require('./instruments.cjs');
const { createOperators } = require('./operators.cjs');
const { createValues } = require('./values.cjs');

/** One agent in each process: what its main thread offers, and the probes. */
let host;
let instruments;
let events = [];
let eventBytes = 0;

/** What nobody fetches is dropped, so that a stopped worker costs no memory. */
function send(event) {
  const text = typeof event === 'string' ? event : JSON.stringify(event);
  if (eventBytes + text.length > host.limits.eventBytes) return;
  eventBytes += text.length;
  events.push(text);
}

function fetchEvents() {
  const fetched = events;
  events = [];
  eventBytes = 0;
  return fetched;
}

/** What the worker asks for, by name. */
const commands = {
  __proto__: null,
  enable() {
    const [began, used] = [host.now(), host.cpu()];
    host.enable();
    const cpuMs = (host.cpu() - used) / 1_000;
    return { enableMs: (host.now() - began) / 1_000, cpuMs, scripts: host.scripts.size };
  },
  scripts: () => [...host.scripts.values()].map(describeScript),
  map: ({ scriptId }) => host.scripts.get(scriptId)?.sourceMapURL ?? '',
  source: ({ scriptId }) => host.post('Debugger.getScriptSource', { scriptId }).scriptSource,
  locations: (range) => host.post('Debugger.getPossibleBreakpoints', range).locations,
  place(spec) {
    if (isHeapFull()) throw new Error('its heap is nearly full');
    return instruments.place(spec);
  },
  remove: ({ id }) => instruments.remove(id),
  share({ cpuShare }) {
    host.limits.cpuShare = cpuShare;
  },
  suspend: ({ reason }) => instruments.suspend(reason),
  tick() {
    const state = instruments.tick();
    if (state.probes > 0 && isHeapFull()) {
      instruments.suspend('the heap is nearly full');
    }
    return { ...state, events: fetchEvents(), scripts: host.scripts.size };
  },
  /** Without probes the debugger is off. */
  idle() {
    if (instruments.size() > 0) return { isEnabled: true };
    host.disable();
    return { isEnabled: false };
  },
};

function isHeapFull() {
  return host.heapShare() > host.limits.heapShare;
}

function command(text) {
  try {
    const { method, params } = JSON.parse(text);
    return JSON.stringify({ result: commands[method](params ?? {}) ?? null });
  } catch (error) {
    return JSON.stringify({ error: `${error?.message}` });
  }
}

function close() {
  try {
    instruments.clear();
  } finally {
    host.disable();
  }
}

/** What the one global gives: functions for breakpoint conditions, and commands of the worker. */
function createAgent(given) {
  host = given;
  const { now, cpu, isProxy, isNativeError, globals, limits, post, traceId } = host;
  const patterns = JSON.parse(host.secretNames).map(
    ({ source, flags }) => new RegExp(source, flags),
  );
  const isSecret = (name) => patterns.some((pattern) => pattern.test(name));
  const values = createValues({ isProxy, isNativeError, limits, isSecret });
  instruments = createInstruments({
    post,
    send,
    now,
    cpu,
    stack: readStack,
    limits,
    values,
    traceId,
  });
  const { when, hit, begin, finish } = instruments;
  const operators = createOperators({ isProxy, globals, limits, values });
  return { __proto__: null, ...operators, when, hit, begin, finish, command, close };
}

/** Maps in the text itself are fetched one by one: some are megabytes. */
function describeScript({ scriptId, url, hash, endLine, length, sourceMapURL, isModule }) {
  const map = sourceMapURL?.startsWith('data:') ? 'data:' : (sourceMapURL ?? '');
  return { scriptId, url, hash, endLine, length, map, isModule: isModule === true };
}

Error.prepareStackTrace = (_, sites) => sites;

/** The frames below the breakpoint condition; by our own Error, whose hooks are ours. */
function readStack(framesMax) {
  if (!framesMax) return [];
  Error.stackTraceLimit = framesMax + 12;
  const holder = {};
  Error.captureStackTrace(holder);
  const sites = Array.isArray(holder.stack) ? holder.stack : [];
  const last = sites.findLastIndex?.(isOurs) ?? sites.map(isOurs).lastIndexOf(true);
  return sites.slice(last + 1, last + 1 + framesMax).map((site) => ({
    function: (site.getFunctionName() ?? '').slice(0, 256),
    file: site.getFileName() ?? '',
    line: site.getLineNumber() ?? 0,
    column: site.getColumnNumber() ?? 0,
  }));
}

/** The condition itself has no file. */
function isOurs(site) {
  return (
    site.getFileName() === 'surety-probe' || (site.isEval() && site.getFileName() === undefined)
  );
}

module.exports = { createAgent };
