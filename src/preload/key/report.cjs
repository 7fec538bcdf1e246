'use strict';

const http = require('node:http');
const { setTimeout: delay } = require('node:timers/promises');
const context = require('../context/context.cjs');

/** If more wait at once, the same loss happens often, and the first of each kind is enough. */
const waitingMax = 64;
const kindsMax = 1_000;
const answerMsMax = 2_000;
/** A killed router is restarted within a moment. */
const attemptsMax = 20;
const againAfterMs = 250;

/**
 * Reports to the router that a request of a lane arrived here without its key. Nobody waits for the
 * report: it must neither slow down nor break the service, whatever happens to the router.
 */
function createReport({ router, service, instance, header, dial }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const waiting = createWaiting();
  const send = (headers) => {
    const whole = { ...headers, 'x-surety-report': 'escape', 'content-length': '0' };
    const options = { host: router.host, port: router.port, method: 'POST', path: '/', agent };
    return isAnswered(dial({ ...options, headers: whole, timeout: answerMsMax }));
  };
  return ({ key, from, at = service, to, method = '', path = '', handedOn = {} }) => {
    const { traceparent, 'x-request-id': requestId } = handedOn;
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
      // Encoded, because an application may put anything into a path.
      'x-surety-path': encodeURI(path).slice(0, 2_000),
      ...(to ? { 'x-surety-to': to } : {}),
      ...(traceparent ? { traceparent } : {}),
      ...(requestId ? { 'x-request-id': requestId } : {}),
    };
    const done = () => waiting.remove(kind);
    // A report that fails must not become an error of the service.
    context.outside(() => patiently(() => send(headers))).then(done, done);
  };
}

/** Counts the waiting reports of each kind and lane, so that one lane cannot block another. */
function createWaiting() {
  const kinds = new Map();
  let all = 0;
  return {
    /** False if the report would say nothing new. */
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
    // Does not keep a process alive that has nothing else to do.
    await delay(againAfterMs, undefined, { ref: false });
  }
}

/** Any answer is enough: a lane that the router no longer knows needs no report. */
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
