'use strict';

/**
 * CPU time of single requests. Who is alone gets all that the thread used from its beginning to
 * its end: that is exact. Those that are in flight together share it evenly, moment by moment,
 * since nobody can tell cheaply whose turn it was; the sum is right, and each is marked as shared.
 */
const isByThread = process.threadCpuUsage !== undefined;

/** Linux has the time of a thread as of its last pause, unless it was asked for all just before. */
function usage() {
  const all = process.cpuUsage();
  return isByThread ? process.threadCpuUsage() : all;
}

/** Asking the system costs as much as all the rest: at most this many are measured. */
const measuredPerSecondMax = 250;
const measuredAtOnceMax = 20;
let allowance = measuredAtOnceMax;
let allowedAtMs = 0;

/** Whether those who come are measured; a change of mind makes what came before not known. */
let isOn = true;
let epoch = 0;

let readUs = 0;
let sharedUs = 0;
/** Requests that share the thread. */
let inFlight = 0;
/** How often somebody came while another was there. */
let crowds = 0;

function share() {
  const { user, system } = usage();
  const nowUs = user + system;
  if (inFlight > 0) sharedUs += (nowUs - readUs) / inFlight;
  readUs = nowUs;
}

function enter(trace) {
  allow(trace.beganMs);
  if (inFlight > 0) crowds++;
  trace.crowd = inFlight > 0 ? -1 : crowds;
  trace.epoch = epoch;
  trace.age = age;
  if (isOn) {
    allowance--;
    share();
    trace.cpuFromUs = sharedUs;
  }
  present[age & 1]++;
  inFlight++;
}

function allow(nowMs) {
  const more = (nowMs - allowedAtMs) * (measuredPerSecondMax / 1_000);
  if (more >= 1) {
    allowance = Math.min(measuredAtOnceMax, allowance + more);
    allowedAtMs = nowMs;
  }
  const isAllowed = isOn ? allowance >= 1 : allowance >= restartsAt;
  if (isAllowed === isOn) return;
  isOn = isAllowed;
  epoch++;
}

/** Many times off and on would measure nobody from beginning to end. */
const restartsAt = 5;

/** What it used, in microseconds; -1 when that is not known. Says also whether it was alone. */
function leave(trace) {
  // Nobody's share: it never entered, or see `grow`.
  if (trace.epoch < 0 || age - trace.age > 1) return -1;
  if (isOn) share();
  inFlight--;
  present[trace.age & 1]--;
  if (!isOn || trace.epoch !== epoch) return -1;
  trace.isShared = trace.crowd !== crowds;
  return Math.round(sharedUs - trace.cpuFromUs);
}

/** Those in flight that came in this age, and in the one before. */
const present = [0, 0];
let age = 0;

/**
 * Called every few seconds. Who is there for the third time waits for something: streams of events
 * would take a share of everybody's time for ever.
 */
function grow() {
  if (isOn) share();
  age++;
  inFlight -= present[age & 1];
  present[age & 1] = 0;
}

/** Work of our own is nobody's. */
function exclude(run) {
  if (isOn && inFlight > 0) share();
  const { user, system } = usage();
  const result = run();
  const after = usage();
  readUs += after.user + after.system - user - system;
  return result;
}

module.exports = { enter, leave, grow, exclude, countInFlight: () => inFlight };
