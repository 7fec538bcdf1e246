'use strict';

const http = require('node:http');
const { performance } = require('node:perf_hooks');
const { setTimeout: delay } = require('node:timers/promises');
const context = require('../context/context.cjs');

const answerMsMax = 2_000;
/** A killed router is restarted within this time. */
const patienceMs = 10_000;
const againAfterMs = 100;

const refused = { whose: 'refused', consumer: undefined };

/**
 * Asks the router who consumes a message of a lane: the lane's candidate of this service or,
 * without a candidate, the baseline. Asked for each message, because a lane may end at any moment.
 */
function createConsumer({ router, service, instance, lane, dial }) {
  const agent = new http.Agent({ keepAlive: true });
  const own = lane ? instance : 'baseline';
  const ask = async ({ key, from, name, handedOn, payload }) => {
    const headers = {
      ...handedOn,
      baggage: `surety-lane=${key}`,
      'x-surety-report': 'consumer',
      'x-surety-from': from ?? '',
      'x-surety-at': service,
      'x-surety-instance': instance,
      'x-surety-own': own,
      'x-surety-path': encodeURI(name).slice(0, 2_000),
      ...contentHeader(payload),
    };
    const { consumer } = await send(dial, { ...router, path: '/', agent, headers });
    if (consumer === undefined) return refused;
    return { whose: consumer === own ? 'mine' : 'theirs', consumer };
  };
  return {
    isCandidate: Boolean(lane),
    /** `mine`, `theirs`, or `refused` when the lane has ended or the router does not answer. */
    find: (message) => context.outside(() => patiently(() => ask(message))),
  };
}

/** Base64 adds a third to this, and all headers together may have 16 KiB. */
const payloadBytesMax = 6 * 1024;
const openings = [0x7b, 0x5b];

/** The content of a message if it is short JSON, so that it can be compared. */
function contentHeader(payload) {
  if (!(payload instanceof Uint8Array) || payload.length > payloadBytesMax) return {};
  if (!openings.includes(payload[0])) return {};
  return { 'x-surety-payload': Buffer.from(payload).toString('base64') };
}

/** A router that has just been restarted may not know all lanes yet. */
const refusalsMax = 2;

async function patiently(ask) {
  const deadline = performance.now() + patienceMs;
  for (let refusals = 0; performance.now() <= deadline; await delay(againAfterMs)) {
    try {
      const answer = await ask();
      if (answer !== refused) return answer;
      refusals += 1;
      if (refusals === refusalsMax) break;
    } catch {
      // The router is away; the keeper restarts it.
    }
  }
  return refused;
}

function send(dial, options) {
  return new Promise((resolve, reject) => {
    const call = dial({ ...options, timeout: answerMsMax }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve({ consumer: answer.headers['x-surety-consumer'] }));
      answer.on('error', reject);
    });
    call.on('timeout', () => call.destroy(new Error('no answer')));
    call.on('error', reject);
    call.end();
  });
}

module.exports = { createConsumer };
