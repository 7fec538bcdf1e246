'use strict';

/** One agent in each process: what its worker was given. */
let session, main, own, limits, onEvents, onEnd;

const threads = new Map();
let lastId = 0;
let isEnabled = false;
let isTold = false;

/** Sends one message of the inspector's protocol into a thread. */
function post(thread, method, params) {
  return new Promise((resolve, reject) => {
    const id = ++lastId;
    thread.waiting.set(id, { resolve, reject });
    const message = JSON.stringify({ id, method, params });
    session.post('NodeWorker.sendMessageToWorker', { sessionId: thread.id, message }, (error) => {
      if (error) reject(new Error(error.message));
    });
  });
}

function receive({ params: { sessionId, message } }) {
  const { id, result, error } = JSON.parse(message);
  const thread = threads.get(sessionId);
  const waiting = thread?.waiting.get(id);
  if (waiting === undefined) return;
  thread.waiting.delete(id);
  if (error) waiting.reject(new Error(error.message));
  else waiting.resolve(result);
}

async function evaluate(thread, expression, more = {}) {
  const params = { expression, returnByValue: true, silent: true, ...more };
  const { result, exceptionDetails: details } = await post(thread, 'Runtime.evaluate', params);
  if (details) throw new Error(details.exception?.description?.split('\n')[0] ?? details.text);
  return result.value;
}

function attached({ params: { sessionId, workerInfo } }) {
  const number = Number(/^\[worker (\d+)\]/.exec(workerInfo.title)?.[1] ?? 0);
  // Of a worker that starts later, too: nobody looks into it until threads are listed again.
  if (number === own) return void session.post('NodeWorker.detach', { sessionId });
  threads.set(sessionId, { id: sessionId, number, waiting: new Map(), hasProbes: false });
}

function detached({ params: { sessionId } }) {
  const thread = threads.get(sessionId);
  if (thread === undefined) return;
  threads.delete(sessionId);
  for (const { reject } of thread.waiting.values()) reject(new Error('the thread ended'));
  if (thread.agent) onEnd(sessionId);
}

function enable() {
  if (isEnabled) return Promise.resolve();
  isEnabled = true;
  if (!isTold) {
    isTold = true;
    session.on('NodeWorker.attachedToWorker', attached);
    session.on('NodeWorker.detachedFromWorker', detached);
    session.on('NodeWorker.receivedMessageFromWorker', receive);
  }
  return new Promise((resolve) => {
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, resolve);
  });
}

/** The running worker threads, each with an agent. One that does not answer is left out. */
async function list() {
  await enable();
  const all = await Promise.all(
    [...threads.values()].map((thread) => within(start(thread)).catch(() => undefined)),
  );
  return all.filter((thread) => thread !== undefined).sort((a, b) => a.number - b.number);
}

async function start(thread) {
  thread.agent ??= evaluate(thread, main, { includeCommandLineAPI: true });
  const { scripts } = JSON.parse(await thread.agent);
  return { thread: thread.id, number: thread.number, scripts };
}

function within(promise) {
  return new Promise((resolve, reject) => {
    promise.then(resolve, reject);
    setTimeout(() => reject(new Error('the thread does not answer')), limits.delayMs).unref();
  });
}

async function command(id, text, method) {
  const thread = threads.get(id);
  if (thread?.agent === undefined) throw new Error('the thread ended');
  const answer = JSON.parse(await evaluate(thread, text));
  if (answer.error !== undefined) throw new Error(answer.error);
  if (method === 'place') thread.hasProbes = true;
  return answer.result;
}

/** Each thread by itself: one that is busy does not keep the others waiting. */
function tick(text) {
  for (const thread of threads.values()) {
    if (thread.agent && !thread.isTicking) void tickOne(thread, text);
  }
}

async function tickOne(thread, text) {
  thread.isTicking = true;
  try {
    const { events, probes } = await command(thread.id, text);
    thread.hasProbes = probes > 0;
    if (events.length > 0) onEvents(thread.id, events);
  } catch {
    // The next tick tries again.
  } finally {
    thread.isTicking = false;
  }
}

/** In all of them; one that does not answer is left alone. */
async function each(text) {
  const all = [...threads.values()].filter(({ agent }) => agent);
  await Promise.all(all.map((thread) => within(evaluate(thread, text)).catch(() => {})));
}

/** A thread that is blocked for ever takes its agent away itself, once it is not. */
async function close(text) {
  await each(text);
  threads.clear();
  if (isEnabled) session.post('NodeWorker.disable');
  isEnabled = false;
}

/** The worker threads of the application, reached through the inspector of the main thread. */
function createThreads(given) {
  ({ session, main, own, limits, onEvents, onEnd } = given);
  return { list, command, each, tick, close };
}

module.exports = { createThreads };
