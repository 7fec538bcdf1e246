'use strict';

const { Ids } = require('../otlp/ids.cjs');
const { Trace } = require('../trace.cjs');

const numbersEach = 9;
const othersEach = 7;

/**
 * The facts of ended requests, without the request objects: objects that live slightly longer than
 * others are copied by the garbage collector, which then reserves more memory for new ones.
 */
class Ended {
  count = 0;
  #numbers;
  #others;
  /** Reused for each request while it is encoded. */
  #trace = new Trace(undefined, undefined);
  #ids = new Ids(undefined, 0);

  constructor(most) {
    this.#numbers = new Float64Array(most * numbersEach);
    this.#others = new Array(most * othersEach).fill(undefined);
  }

  add(trace) {
    const numbers = this.#numbers;
    let at = this.count * numbersEach;
    numbers[at++] = trace.beganMs;
    numbers[at++] = trace.endedMs;
    numbers[at++] = trace.cpuUs;
    numbers[at++] = trace.seed;
    numbers[at++] = trace.calls;
    numbers[at++] = trace.requestBytes;
    numbers[at++] = trace.responseBytes;
    numbers[at++] = trace.rpcStatus;
    numbers[at] = trace.status * 4 + (trace.isShared ? 2 : 0) + (trace.isGone ? 1 : 0);
    const others = this.#others;
    at = this.count * othersEach;
    others[at++] = trace.route;
    others[at++] = trace.path;
    others[at++] = trace.method;
    others[at++] = trace.traceparent;
    others[at++] = trace.lane;
    others[at++] = trace.requestId;
    others[at] = trace.error;
    this.count++;
  }

  /** The request as it was added. The same object each time, so read it at once. */
  read(index) {
    const trace = this.#trace;
    const numbers = this.#numbers;
    let at = index * numbersEach;
    trace.beganMs = numbers[at++];
    trace.endedMs = numbers[at++];
    trace.cpuUs = numbers[at++];
    trace.seed = numbers[at++] | 0;
    trace.calls = numbers[at++];
    trace.requestBytes = numbers[at++];
    trace.responseBytes = numbers[at++];
    trace.rpcStatus = numbers[at++];
    const status = numbers[at];
    trace.status = status >> 2;
    trace.isShared = (status & 2) !== 0;
    trace.isGone = (status & 1) !== 0;
    const others = this.#others;
    at = index * othersEach;
    trace.route = others[at++];
    trace.path = others[at++];
    trace.method = others[at++];
    trace.traceparent = others[at++];
    trace.lane = others[at++];
    trace.requestId = others[at++];
    trace.error = others[at];
    trace.ids = this.#ids.read(trace.traceparent, trace.seed);
    return trace;
  }

  /** Keeps no reference to any of them. */
  clear() {
    this.#others.fill(undefined);
    this.count = 0;
  }
}

module.exports = { Ended };
