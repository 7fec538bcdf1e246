'use strict';

const { performance } = require('node:perf_hooks');
const { requests } = require('./storages.cjs');

/** Monotonic even if the clock is set, and, unlike `performance`, available this early. */
const nowMs = () => process.uptime() * 1_000;

/** A request, or other work, that this process handles, with a key or without. */
class Handled {
  constructor(key, handedOn) {
    this.key = key;
    /** Headers that its calls carry unless the application sets them. */
    this.handedOn = handedOn;
    this.endsAtMs = Number.POSITIVE_INFINITY;
    this.isTimed = false;
    this.isAnswered = false;
    /** Itself; of a context that a timer made from it, the original. */
    this.request = this;
    this.losses = undefined;
    // What it waits for outside of this process: see isWaiting.
    this.message = undefined;
    this.answer = undefined;
    this.waits = 0;
    this.callsMade = 0;
    this.peer = undefined;
    this.countOf = undefined;
    this.heard = 0;
    this.heardMs = 0;
    this.timer = undefined;
    /** In which something ended that it waited for; see turn. */
    this.turn = Number.NaN;
    /** Requests with a key whose answer it may have got. */
    this.sharedWith = undefined;
    /** Its number in messages to threads and processes; see handed-over.cjs. */
    this.origin = undefined;
    this.onRemove = undefined;
    /** Whom others called while it waited. */
    this.doubts = undefined;
  }
}

/** The requests that are open now, and a few that were cut off. */
const open = new Set();
const openMax = 1_000;

function add(handled, message, answer) {
  handled.message = message;
  handled.answer = answer;
  if (open.size >= openMax) forgetClosed();
  open.add(handled);
}

function remove(handled) {
  open.delete(handled);
  handled.message = undefined;
  handled.answer = undefined;
  handled.peer = undefined;
  handled.timer = undefined;
  handled.onRemove?.();
}

/** A request whose client has left is not reported as over. */
function forgetClosed() {
  for (const one of open) if (one.answer.destroyed) remove(one);
}

/** Timers that called back; see turn. */
let timersCalled = 0;

function noteTimer() {
  timersCalled++;
}

/**
 * Differs between two callbacks of Node's event loop, and stays the same in all that follows from
 * one of them at once. Not a number in older versions of Node.
 */
function turn() {
  return performance.nodeTiming.uvMetricsInfo?.events + timersCalled;
}

/** Connections that never answered anything may be meant for writing only. */
const firstAnswerMsMax = 1_000;

/**
 * Whether nothing outside of this process is to be seen that the request waits for. Then it waits
 * for something in here: its turn in a queue, an object of a pool, a batch, a lock, or a promise
 * of another request. The code of other requests may then continue with its work, in their context.
 */
function isWaiting(one) {
  const { message, answer, timer } = one;
  if (answer === undefined || answer.headersSent || answer.destroyed) return false;
  if (one.waits > 0 || message?.complete === false) return false;
  if (timer !== undefined && !timer._destroyed) return false;
  // It has just got an answer, and its code may still go on.
  return !isPeerSilent(one) && one.turn !== turn();
}

function isPeerSilent({ peer, countOf, heard, heardMs }) {
  if (peer === undefined) return false;
  const count = countOf(peer);
  return count >= 0 && count <= heard && (count > 0 || nowMs() < heardMs + firstAnswerMsMax);
}

/**
 * When others last waited. Where that happens in several turns, requests are queued here, and one
 * that waits for an answer may have other work in the queue.
 */
let waited = { atMs: Number.NEGATIVE_INFINITY, turn: Number.NaN };
let queuedMs = Number.NEGATIVE_INFINITY;
const doubtMs = 250;

/**
 * Whether code in the context of this key may work for others, which wait in here. `isForAll` if it
 * may be for any request, also for one that waits for something else.
 */
function mayServeOthers(key, isForAll) {
  let hasOthers = false;
  for (const one of open) {
    if (one.key === key) continue;
    hasOthers ||= !one.answer.headersSent && !one.answer.destroyed;
    if (!isWaiting(one)) continue;
    noteWaiting();
    return true;
  }
  return hasOthers && (isForAll || nowMs() < queuedMs + doubtMs);
}

function noteWaiting() {
  const now = { atMs: nowMs(), turn: turn() };
  if (now.turn !== waited.turn && now.atMs < waited.atMs + doubtMs) queuedMs = now.atMs;
  waited = now;
}

/**
 * The request wrote to somebody whose answers `countOf` counts; -1 if there will be none any more.
 * `heard` is the count up to which the answers are for others.
 */
function awaitPeer(handled, peer, countOf, heard = countOf(peer)) {
  handled.peer = peer;
  handled.countOf = countOf;
  handled.heard = heard;
  handled.heardMs = nowMs();
}

/** Messages to and from one place. Who asks first is answered first. */
class Exchanges {
  asked = 0;
  answered = 0;

  /** For a message that is sent now. */
  ask() {
    const serving = requests.getStore()?.request;
    if (serving === undefined) return;
    this.asked = Math.max(this.asked, this.answered) + 1;
    awaitPeer(serving, this, Exchanges.count, this.asked - 1);
  }

  static count({ answered }) {
    return answered;
  }
}

/** Something is under way outside of this process, or in a queue that keeps contexts apart. */
function waitBegins(handled) {
  handled.waits++;
}

function waitEnds(handled) {
  handled.waits--;
  if (watching.isOn) handled.turn = turn();
}

/** Whether lanes are in use here, so that it matters what requests wait for. */
const watching = { isOn: false };

/** A call to another service is under way. */
function callBegins(handled) {
  handled.waits++;
  handled.callsMade++;
}

module.exports = {
  Handled,
  add,
  remove,
  isWaiting,
  noteTimer,
  turn,
  mayServeOthers,
  awaitPeer,
  Exchanges,
  callBegins,
  waitBegins,
  waitEnds,
  watching,
  nowMs,
  open,
};
