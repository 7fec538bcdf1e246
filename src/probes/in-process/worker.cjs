'use strict';

const net = require('node:net');
const { Session } = require('node:inspector');
const { workerData, threadId } = require('node:worker_threads');
const { createExceptions } = require('./exceptions.cjs');
const { createThreads } = require('./threads.cjs');

/**
 * The worker in a probed process: passes commands of Surety on to the main thread, and fetches
 * what probes have captured. It takes everything away when Surety says so, when its connection
 * ends, and when nobody has been heard for a while.
 */
const { name, link, secretNames, threadMain } = workerData;
const session = new Session();
session.connectToMainThread();
const socket = net.connect(link.port, '127.0.0.1').setNoDelay(true);
const exceptions = createExceptions({ session, send, secretNames, limits: link.limits });

const threads = createThreads({
  session,
  main: threadMain,
  own: threadId,
  limits: link.limits,
  onEvents: (thread, events) => send({ event: 'thread', thread, events }),
  onEnd: (thread) => send({ event: 'thread-ended', thread }),
});

let heardAt = performance.now();
let isClosing = false;
let hasProbes = false;
let isTicking = false;

function send(message) {
  if (!socket.destroyed)
    socket.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
}

/** In the main thread, between two statements of whatever runs there. */
function evaluate(expression) {
  return new Promise((resolve, reject) => {
    session.post(
      'Runtime.evaluate',
      { expression, returnByValue: true, silent: true },
      (error, answer) => {
        if (error) reject(new Error(error.message));
        else if (answer.exceptionDetails) reject(new Error(answer.exceptionDetails.text));
        else resolve(answer.result.value);
      },
    );
  });
}

function commandText(method, params) {
  const text = JSON.stringify(JSON.stringify({ method, params }));
  return `globalThis[${JSON.stringify(name)}].command(${text})`;
}

async function command(method, params) {
  const { result, error } = JSON.parse(await evaluate(commandText(method, params)));
  if (error !== undefined) throw new Error(error);
  return result;
}

const own = {
  __proto__: null,
  ping: () => ({}),
  exception: (params) => exceptions.place(params),
  removeException: ({ id }) => exceptions.remove(id),
  evaluate: ({ expression }) => evaluateSafely(expression, false),
  tryAll: async ({ expressions }) => {
    for (const expression of expressions) await evaluateSafely(expression, true);
  },
  threads: () => listThreads(),
  inThread: ({ thread, method, params }) =>
    threads.command(thread, commandText(method, params), method),
  close: () => close(),
};

/** All threads together keep to what one process may use. */
async function listThreads() {
  const all = await threads.list();
  const share = { cpuShare: link.limits.cpuShare / (all.length + 1) };
  await command('share', share);
  await threads.each(commandText('share', share));
  return all;
}

function evaluateSafely(expression, throwOnSideEffect) {
  return new Promise((resolve) => {
    const bounds = throwOnSideEffect
      ? { throwOnSideEffect, timeout: link.limits.evaluationMs }
      : {};
    const params = { expression, returnByValue: true, silent: true, ...bounds };
    session.post('Runtime.evaluate', params, (error, answer) => {
      const details = answer?.exceptionDetails;
      if (error || details)
        resolve({ error: error?.message ?? details.exception?.description ?? details.text });
      else resolve({ value: answer.result.value ?? null, type: answer.result.type });
    });
  });
}

async function handle({ id, method, params }) {
  heardAt = performance.now();
  try {
    const result = await (own[method] ? own[method](params ?? {}) : command(method, params));
    if (method === 'place') hasProbes = true;
    send({ id, result: result ?? null });
  } catch (error) {
    send({ id, error: error.message });
  }
  if (method === 'close') socket.end(() => process.exit());
}

async function tick() {
  if (performance.now() - heardAt > link.limits.silenceMs) return leave();
  if (!isClosing) threads.tick(commandText('tick'));
  if (!hasProbes || isTicking || isClosing) return;
  isTicking = true;
  try {
    const began = performance.now();
    const { events, probes, scripts } = await command('tick');
    for (const event of events) send(event);
    hasProbes = probes > 0;
    const delayMs = performance.now() - began;
    if (delayMs > link.limits.delayMs) await trip(delayMs);
    send({ event: 'tick', scripts });
  } catch {
    // The next tick tries again.
  } finally {
    isTicking = false;
  }
}

/** The main thread took long to answer: nothing is armed until it is better. */
async function trip(delayMs) {
  await command('suspend', { reason: `the event loop was blocked for ${Math.round(delayMs)} ms` });
}

async function close() {
  isClosing = true;
  exceptions.close();
  const global = `globalThis[${JSON.stringify(name)}]`;
  const text = `(() => { const agent = ${global}; delete ${global}; agent?.close(); return typeof ${global}; })()`;
  await threads.close(text);
  return { global: await evaluate(text) };
}

/** Nobody is there any more: also a blocked main thread is waited for. */
async function leave() {
  if (isClosing) return;
  await close().catch(() => {});
  process.exit();
}

let rest = '';
socket.setEncoding('utf8');
socket.on('connect', () => send({ token: link.token }));
socket.on('data', (text) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) handle(JSON.parse(line));
});
socket.on('error', () => socket.destroy());
socket.on('close', leave);
setInterval(tick, link.limits.tickMs);
