'use strict';

/**
 * CPU time of single requests. A request that runs alone gets all CPU time of the thread between
 * its start and its end, which is exact. Concurrent requests share it evenly, moment by moment,
 * since nobody can tell cheaply which one ran. The sum is right, and each is marked as shared.
 */
const isByThread = process.threadCpuUsage !== undefined;

/**
 * Linux reports the time of a thread as of its last pause, unless the time of the process was read
 * just before.
 */
function usage() {
  const all = process.cpuUsage();
  return isByThread ? process.threadCpuUsage() : all;
}

/** Reading the time costs as much as all the rest, so at most this many requests are measured. */
const measuredPerSecondMax = 250;
const measuredAtOnceMax = 20;
let allowance = measuredAtOnceMax;
let allowedAtMs = 0;

/** Whether new requests are measured. A change makes the time of requests in flight unknown. */
let isOn = true;
let epoch = 0;

let readUs = 0;
let sharedUs = 0;
/** Requests that share the thread. */
let inFlight = 0;
/** How often a request came while another one was in flight. */
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

/** Frequent changes would leave no request that is measured from start to end. */
const restartsAt = 5;

/** The CPU time of a request in microseconds, -1 if unknown, and whether it ran alone. */
function leave(trace) {
  // Unknown: the request was never measured, or `grow` excluded it.
  if (trace.epoch < 0 || age - trace.age > 1) return -1;
  if (isOn) share();
  inFlight--;
  present[trace.age & 1]--;
  if (!isOn || trace.epoch !== epoch) return -1;
  trace.isShared = trace.crowd !== crowds;
  return Math.round(sharedUs - trace.cpuFromUs);
}

/** The requests in flight that came in the current period, and in the one before. */
const present = [0, 0];
let age = 0;

/**
 * Called every few seconds. A request that is still there the third time is waiting for something:
 * event streams would take a share of everybody's time for ever.
 */
function grow() {
  if (isOn) share();
  age++;
  inFlight -= present[age & 1];
  present[age & 1] = 0;
}

/** CPU time of our own work is counted for no request. */
function exclude(run) {
  if (isOn && inFlight > 0) share();
  const { user, system } = usage();
  const result = run();
  const after = usage();
  readUs += after.user + after.system - user - system;
  return result;
}

module.exports = { enter, leave, grow, exclude, countInFlight: () => inFlight };
