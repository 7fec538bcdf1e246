'use strict';

const { Ids } = require('../otlp/ids.cjs');

const numbersEach = 8;
const othersEach = 7;

/** The facts of ended calls, without the call objects: see ended.cjs. */
class EndedCalls {
  count = 0;
  #numbers;
  #others;
  /** Reused for each call while it is encoded. */
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

  /** The call as it was added. The same object each time, so read it at once. */
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

  /** Keeps no reference to any of them. */
  clear() {
    this.#others.fill(undefined);
    this.count = 0;
  }
}

module.exports = { EndedCalls };
