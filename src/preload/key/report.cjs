'use strict';

const http = require('node:http');
const { setTimeout: delay } = require('node:timers/promises');
const context = require('../context/context.cjs');

/** More than this at once are mishaps that happen often: the first of each kind tells enough. */
const waitingMax = 64;
const kindsMax = 1_000;
const answerMsMax = 2_000;
/** A router that was killed is back within a moment. */
const attemptsMax = 20;
const againAfterMs = 250;

/**
 * Tells the router that a request of a lane was seen where its key was lost. Nobody waits for it:
 * it must neither slow the service down nor fail it, whatever becomes of the router.
 */
function createReport({ router, service, instance, header, dial }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const waiting = createWaiting();
  const send = (headers) => {
    const whole = { ...headers, 'x-surety-report': 'escape', 'content-length': '0' };
    const options = { host: router.host, port: router.port, method: 'POST', path: '/', agent };
    return isAnswered(dial({ ...options, headers: whole, timeout: answerMsMax }));
  };
  return ({ key, from, at = service, to, method = '', path = '' }) => {
    const kind = [key, from, at, to, method, method === 'timer' && path].join(' ');
    if (!waiting.add(kind)) return;
    const headers = {
      baggage: `surety-lane=${key}`,
      tracestate: `surety=${key}`,
      ...(header ? { [header]: key } : {}),
      'x-surety-from': from ?? '',
      'x-surety-at': at,
      'x-surety-instance': instance,
      'x-surety-method': method,
      // As it came: an application may have put anything into it.
      'x-surety-path': encodeURI(path).slice(0, 2_000),
      ...(to ? { 'x-surety-to': to } : {}),
    };
    const done = () => waiting.remove(kind);
    // What can't be told must not become a mishap of the service.
    context.outside(() => patiently(() => send(headers))).then(done, done);
  };
}

/** How many of each kind are on their way; another lane's are never kept back for those of one. */
function createWaiting() {
  const kinds = new Map();
  let all = 0;
  return {
    /** False when it would tell nothing new. */
    add(kind) {
      const count = kinds.get(kind) ?? 0;
      if (all >= waitingMax && (count > 0 || all >= kindsMax)) return false;
      kinds.set(kind, count + 1);
      all++;
      return true;
    },
    remove(kind) {
      const count = kinds.get(kind) - 1;
      if (count === 0) kinds.delete(kind);
      else kinds.set(kind, count);
      all--;
    },
  };
}

async function patiently(send) {
  for (let attempt = 1; !(await send()) && attempt < attemptsMax; attempt++) {
    // A service that has nothing else to do any more may end.
    await delay(againAfterMs, undefined, { ref: false });
  }
}

/** Whatever the router says: a lane that it does not know any more need not be told. */
function isAnswered(call) {
  return new Promise((resolve) => {
    call.on('response', (answer) => {
      answer.resume();
      resolve(true);
    });
    call.on('timeout', () => call.destroy());
    call.on('close', () => resolve(false));
    call.on('error', () => {});
    call.end();
  });
}

module.exports = { createReport };
