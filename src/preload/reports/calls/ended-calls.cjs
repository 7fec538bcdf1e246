'use strict';

const { Ids } = require('../otlp/ids.cjs');

const numbersEach = 8;
const othersEach = 7;

/** What is told of calls that are over, without the calls: see ended.cjs. */
class EndedCalls {
  count = 0;
  #numbers;
  #others;
  /** Each of them in turn, while it is written down. */
  #call = {
    beganMs: 0.5,
    endedMs: 0.5,
    seed: 0,
    s0: 0,
    s1: 0,
    status: 0,
    rpcStatus: -1,
    hasParent: false,
    ids: new Ids(undefined, 0),
    method: '',
    peer: '',
    path: '',
    lane: undefined,
    common: undefined,
    error: undefined,
  };

  constructor(most) {
    this.#numbers = new Float64Array(most * numbersEach);
    this.#others = new Array(most * othersEach).fill(undefined);
  }

  add(call) {
    const numbers = this.#numbers;
    let at = this.count * numbersEach;
    numbers[at++] = call.beganMs;
    numbers[at++] = call.endedMs;
    numbers[at++] = call.seed;
    numbers[at++] = call.s0;
    numbers[at++] = call.s1;
    numbers[at++] = call.status;
    numbers[at++] = call.rpcStatus;
    numbers[at] = call.hasParent ? 1 : 0;
    const others = this.#others;
    at = this.count * othersEach;
    others[at++] = call.trace?.traceparent;
    others[at++] = call.method;
    others[at++] = call.peer;
    others[at++] = call.path;
    others[at++] = call.lane;
    others[at++] = call.common;
    others[at] = call.error;
    this.count++;
  }

  /** As it was added; the same object each time, to be read at once. */
  read(index) {
    const call = this.#call;
    const numbers = this.#numbers;
    let at = index * numbersEach;
    call.beganMs = numbers[at++];
    call.endedMs = numbers[at++];
    call.seed = numbers[at++] | 0;
    call.s0 = numbers[at++] | 0;
    call.s1 = numbers[at++] | 0;
    call.status = numbers[at++];
    call.rpcStatus = numbers[at++];
    call.hasParent = numbers[at] === 1;
    const others = this.#others;
    at = index * othersEach;
    call.ids.read(others[at++], call.seed);
    call.method = others[at++];
    call.peer = others[at++];
    call.path = others[at++];
    call.lane = others[at++];
    call.common = others[at++];
    call.error = others[at];
    return call;
  }

  /** Nothing of them is held on to. */
  clear() {
    this.#others.fill(undefined);
    this.count = 0;
  }
}

module.exports = { EndedCalls };
