'use strict';

/**
 * Evaluated in the main thread of a process that nobody prepared, by its inspector. Starts our
 * worker, and leaves one global behind that breakpoint conditions and the worker call; `close`
 * takes it away again. Uses `node:*` only, and runs on Node 18 and later.
 */
function start(require, config) {
  const { name, limits, secretNames, texts, isThread } = config;
  const vm = require('node:vm');
  const { isProxy, isNativeError } = require('node:util').types;
  const { getHeapStatistics } = require('node:v8');
  const hrtime = process.hrtime.bigint;
  const heapShare = () => {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    return used / limit;
  };
  const now = () => Number(hrtime() / 1_000n);
  const usage = process.cpuUsage;
  const cpu = () => {
    const { user, system } = usage();
    return user + system;
  };
  const facts = { now, cpu, isProxy, isNativeError, heapShare, traceId: findTraceId() };
  const host = { ...facts, limits, secretNames, globals: globalThis };
  // Builtins as Node made them, whatever the application has replaced in its own context.
  const createAgent = vm.runInNewContext(texts.agent, undefined, { filename: 'surety-probe' });
  const agent = createAgent({
    ...host,
    ...createDebugger(require, vm.runInNewContext('new Map()')),
  });
  const close = () => {
    delete globalThis[name];
    agent.close();
  };
  const given = isThread ? leaveInSilence(require, agent, { limits, now, close }) : agent;
  if (!isThread) startWorker(require, config).once('exit', close).once('error', close);
  Object.defineProperty(globalThis, name, { value: given, configurable: true });
  // Before the debugger lists them, which takes a while for each.
  const scripts = process.moduleLoadList.length + Object.keys(require.cache ?? {}).length;
  return JSON.stringify({ version: process.version, scripts });
}

/** In a worker thread: nobody tells it that our own worker is gone. */
function leaveInSilence(require, agent, { limits, now, close }) {
  let heardAt = now();
  const command = (text) => {
    heardAt = now();
    return agent.command(text);
  };
  const timer = require('node:timers').setInterval(() => {
    if (now() - heardAt > limits.silenceMs * 1_000) end();
  }, limits.silenceMs);
  timer.unref();
  const end = () => {
    clearInterval(timer);
    close();
  };
  return { __proto__: null, ...agent, command, close: end };
}

/** Services with the preload know the trace of the request that code runs for. */
function findTraceId() {
  const given = Object.getOwnPropertyDescriptor(process, Symbol.for('surety.tag'))?.value;
  return typeof given === 'function' ? given : () => undefined;
}

/**
 * A session of the thread itself, so that a hit can remove its breakpoint at once. `scripts` is a
 * map of another context, which the application cannot have patched.
 */
function createDebugger(require, scripts) {
  const { Session } = require('node:inspector');
  let session;

  const post = (method, params) => {
    let failure = null;
    let answer;
    session.post(method, params, (error, result) => {
      failure = error;
      answer = result;
    });
    if (failure) throw new Error(failure.message);
    return answer;
  };

  function enable() {
    if (session !== undefined) return;
    session = new Session();
    session.connect();
    session.on('Debugger.scriptParsed', ({ params }) => {
      if (params.url) scripts.set(params.scriptId, params);
    });
    post('Debugger.enable');
    // A `debugger` statement would stop the process for ever.
    post('Debugger.setSkipAllPauses', { skip: true });
  }

  function disable() {
    const open = session;
    session = undefined;
    scripts.clear();
    if (open === undefined) return;
    open.post('Debugger.disable');
    open.disconnect();
  }

  return { post, scripts, enable, disable };
}

function startWorker(require, config) {
  const { name, link, secretNames, texts, limits } = config;
  const own = { name, limits, secretNames, texts: { agent: texts.agent }, isThread: true };
  const threadMain = `(${texts.main})(require)(require,${JSON.stringify(own)})`;
  const workerData = { name, link, secretNames, threadMain };
  // The class itself, where a preload has put a proxy in its place.
  const { Worker } = require('node:worker_threads');
  const options = { eval: true, env: {}, execArgv: [], workerData, trackUnmanagedFds: false };
  const worker = new Worker.prototype.constructor(texts.worker, options);
  worker.unref();
  return worker;
}

module.exports = { start };
