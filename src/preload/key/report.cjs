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
  const unchanged = createUnchanged();
  const send = (headers) => {
    const whole = { ...headers, 'x-surety-report': 'escape', 'content-length': '0' };
    const options = { host: router.host, port: router.port, method: 'POST', path: '/', agent };
    return answerOf(dial({ ...options, headers: whole, timeout: answerMsMax }));
  };
  return (about) => {
    const { key, from, at = service, to, method = '', path = '', handedOn = {} } = about;
    if (about.isIfChanged && unchanged.has(key)) return;
    const { traceparent, 'x-request-id': requestId } = handedOn;
    const kind = [key, from, at, to, method, method === 'timer' && path, about.isIfChanged].join(
      ' ',
    );
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
      ...(about.isIfChanged ? { 'x-surety-if-changed': '1' } : {}),
      ...(traceparent ? { traceparent } : {}),
      ...(requestId ? { 'x-request-id': requestId } : {}),
    };
    const done = () => waiting.remove(kind);
    // A report that fails must not become an error of the service.
    context
      .outside(() => patiently(() => send(headers)))
      .then((answer) => {
        if (answer?.['x-surety-changed'] === 'no') unchanged.add(key);
        done();
      }, done);
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

/** How long a lane counts as one without its own instance of this service: that may start. */
const unchangedMs = 5_000;
const keysMax = 1_000;

/** Lanes that share this service: their requests need no report. */
function createUnchanged() {
  const until = new Map();
  const nowMs = () => process.uptime() * 1_000;
  return {
    has: (key) => nowMs() < (until.get(key) ?? 0),
    add(key) {
      if (until.size >= keysMax) until.clear();
      until.set(key, nowMs() + unchangedMs);
    },
  };
}

async function patiently(send) {
  for (let attempt = 1; ; attempt++) {
    const answer = await send();
    if (answer !== undefined || attempt === attemptsMax) return answer;
    // Does not keep a process alive that has nothing else to do.
    await delay(againAfterMs, undefined, { ref: false });
  }
}

/**
 * The headers of the answer. Any answer is enough: a lane that the router no longer knows needs no
 * report.
 */
function answerOf(call) {
  return new Promise((resolve) => {
    call.on('response', (answer) => {
      answer.resume();
      resolve(answer.headers);
    });
    call.on('timeout', () => call.destroy());
    call.on('close', () => resolve(undefined));
    call.on('error', () => {});
    call.end();
  });
}

module.exports = { createReport };
