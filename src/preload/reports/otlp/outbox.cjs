'use strict';

const { setTimeout } = require('node:timers');
const { Batch } = require('./batch.cjs');
const { nowMs } = require('../clock.cjs');
const { exclude } = require('../process/cpu.cjs');
const { createSender } = require('./sender.cjs');
const { safely } = require('../safely.cjs');
const { outside } = require('../trace.cjs');

const sendMsEvery = 250;
/** A batch of this size is sent before its time. */
const sendBytes = 64 * 1024;
const triesMax = 5;
const backoffMs = { first: 500, max: 15_000 };

/** The maximum that is kept of each kind, also while nobody accepts it. */
const kinds = {
  spans: { path: '/v1/traces', bytesMax: 512 * 1024 },
  logs: { path: '/v1/logs', bytesMax: 512 * 1024 },
  metrics: { path: '/v1/metrics', bytesMax: 64 * 1024 },
};

/**
 * All reports of this process on their way: bounded, in batches, one at a time. What does not fit
 * is counted and dropped, because the service must never wait for the receiver.
 */
class Outbox {
  /** Items that were lost, by kind, since the start. */
  dropped = { spans: 0, logs: 0, metrics: 0 };
  #sender;
  #waiting;
  #timer;
  #writers = [];
  #restMs = 0;
  #restUntilMs = 0;

  constructor(address, front) {
    this.#sender = createSender(address);
    const host = `${address.host}:${address.port}`;
    const make = ({ path, bytesMax }) => ({
      make: () => new Batch({ path, host, front, bytesMax }),
      filling: undefined,
      /** Being sent, or to be sent again. */
      leaving: undefined,
      /** Empty batches. At most two, since one is filled while another is sent. */
      spares: [],
      isDue: false,
      tries: 0,
    });
    this.#waiting = Object.fromEntries(
      Object.entries(kinds).map(([kind, about]) => [kind, make(about)]),
    );
  }

  /** The batch for the next item of a kind; undefined if the item is to be dropped. */
  open(kind, bytesMax) {
    const signal = this.#waiting[kind];
    if (signal.filling === undefined) {
      signal.filling = signal.spares.pop() ?? signal.make();
    }
    if (signal.filling.hasRoom(bytesMax)) return signal.filling;
    this.dropped[kind]++;
    return undefined;
  }

  /** Registers writers that encode their items only right before sending. */
  beforeSending(write) {
    this.#writers.push(write);
  }

  /** Announces an item that is there or about to be added. */
  expect() {
    this.#schedule();
  }

  /** Notes that an item was added. */
  added(batch) {
    batch.count++;
    this.#schedule();
    if (batch.size >= sendBytes) this.#sendDue(({ filling }) => filling === batch);
  }

  /** At the end of the process, sends what the system accepts at once. */
  sendLast() {
    for (const write of this.#writers) write();
    for (const { filling } of Object.values(this.#waiting)) {
      if (filling !== undefined && filling.count > 0) this.#sender.sendLast(filling.close());
    }
  }

  /** One timer at a time: writers that add items during sending request the next one, too. */
  #schedule() {
    if (this.#timer !== undefined) return;
    outside(() => {
      this.#sender.connect();
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        safely(() => exclude(() => this.#sendAll()));
      }, sendMsEvery).unref();
    });
  }

  #sendAll() {
    for (const write of this.#writers) write();
    this.#sendDue(hasContent);
    if (Object.values(this.#waiting).some(hasContent)) this.#schedule();
  }

  /** Items that come later wait for the next time, so that they form a batch. */
  #sendDue(isDue) {
    for (const signal of Object.values(this.#waiting)) if (isDue(signal)) signal.isDue = true;
    this.#sendNext();
  }

  #sendNext() {
    if (!this.#sender.isFree() || nowMs() < this.#restUntilMs) return;
    const due = Object.entries(this.#waiting).find(([, one]) => one.isDue && hasContent(one));
    if (due === undefined) return;
    const [kind, signal] = due;
    signal.isDue = false;
    if (signal.leaving === undefined) {
      signal.leaving = signal.filling;
      signal.filling = undefined;
      signal.tries = 0;
    }
    signal.bytes ??= signal.leaving.close();
    signal.tries++;
    this.#sender.send(signal.bytes, (outcome) => this.#settle(kind, outcome));
  }

  #settle(kind, outcome) {
    const signal = this.#waiting[kind];
    if (outcome === 'again') this.#rest();
    else this.#restMs = 0;
    if (outcome === 'again' && signal.tries < triesMax) return;
    const { leaving } = signal;
    if (outcome !== 'taken') this.dropped[kind] += leaving.count;
    // After a broken connection the buffer may still be read, so it is not written to again.
    if (outcome === 'taken') {
      leaving.clear();
      signal.spares.push(leaving);
    }
    signal.leaving = undefined;
    signal.bytes = undefined;
    this.#sendNext();
  }

  #rest() {
    this.#restMs = Math.min(backoffMs.max, Math.max(backoffMs.first, this.#restMs * 2));
    this.#restUntilMs = nowMs() + this.#restMs;
  }
}

function hasContent({ leaving, filling }) {
  return leaving !== undefined || (filling !== undefined && filling.count > 0);
}

module.exports = { Outbox };
