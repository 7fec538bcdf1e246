'use strict';

const http = require('node:http');
const context = require('./context.cjs');

/** More than this at once are one mishap that happens often; the first tell enough. */
const waitingMax = 64;
const answerMsMax = 2_000;

/**
 * Tells the router that a request of a lane was seen where its key was lost. Nobody waits for it:
 * it must neither slow the service down nor fail it, whatever becomes of the router.
 */
function createReport({ router, service, instance, header, dial }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let waiting = 0;
  const send = (headers) => {
    const whole = { ...headers, 'x-surety-report': 'escape', 'content-length': '0' };
    const options = { host: router.host, port: router.port, method: 'POST', path: '/', agent };
    const call = dial({ ...options, headers: whole, timeout: answerMsMax });
    call.on('response', (answer) => answer.resume());
    call.on('timeout', () => call.destroy());
    call.on('error', () => {});
    call.on('close', () => {
      waiting--;
    });
    call.end();
  };
  return ({ key, from, at = service, to, method = '', path = '' }) => {
    if (waiting >= waitingMax) return;
    waiting++;
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
    context.outside(() => send(headers));
  };
}

module.exports = { createReport };
