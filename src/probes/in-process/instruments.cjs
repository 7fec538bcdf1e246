'use strict';

const { createBreakpoints } = require('./breakpoints.cjs');
const { createBudget, createCoverage } = require('./budget.cjs');
const { createDistribution, createTally } = require('./summaries.cjs');
const { createSpans } = require('./spans.cjs');

/** One agent in each process: what it was given. */
let post, send, now, cpu, stack, limits, values, traceId;

let probes;
let budget;
let breakpoints;
let traffic;
/** Nothing is armed before. */
let suspendedUntil;

/** Now, by the clock and by the CPU time of the process, in microseconds. */
const startOf = () => ({ at: now(), used: cpu() });

/** On a crowded machine a hit waits for a core, and that is not what it costs. */
const since = ({ at, used }) => Math.min(now() - at, cpu() - used);

function arm(probe) {
  const began = startOf();
  breakpoints.set(probe.id, probe.points);
  probe.isArmed = true;
  probe.armUs = since(began);
  probe.window = 0;
  probe.coverage.armed();
  budget.spend(probe.armUs);
}

function disarm(probe) {
  breakpoints.clear(probe.id);
  if (probe.isArmed) probe.coverage.disarmed();
  probe.isArmed = false;
  probe.disarmedAt = now();
  probe.spans.forget();
}

function place(spec) {
  const probe = {
    ...spec,
    isArmed: false,
    isHot: false,
    met: 0,
    hits: 0,
    dropped: 0,
    slow: 0,
    error: undefined,
    coverage: createCoverage({ now }),
    distribution: createDistribution(),
    tally: createTally(limits.names),
    spans: createSpans({ now }),
    posted: '',
  };
  probes.set(spec.id, probe);
  try {
    arm(probe);
  } catch (error) {
    remove(spec.id);
    throw error;
  }
  return { points: probe.points.length };
}

function remove(id) {
  const probe = probes.get(id);
  if (probe === undefined) return { summary: null };
  probes.delete(id);
  disarm(probe);
  return { summary: summarize(probe) };
}

/** Every evaluation costs what V8 needs for it, which nobody here can measure. */
function charge(probe, began) {
  const took = since(began);
  const hasLeft = budget.spend(took + limits.evaluationUs);
  if (took > limits.stallUs && ++probe.slow >= limits.slowHits) return end(probe, 'breaker');
  probe.window++;
  if (probe.isHot ? probe.window >= windowOf(probe) || !hasLeft : !hasLeft) {
    // A window that took its time to fill shows that the line is not hot any more.
    probe.isHot = !hasLeft || probe.coverage.armedForUs() < probe.window * limits.coolUs;
    disarm(probe);
  }
}

/** A condition that is seldom met needs more looks than one. */
const windowOf = (probe) => (probe.hasCondition ? limits.windowEvaluations : 1);

function end(probe, reason) {
  if (probe.hasEnded) return;
  probe.hasEnded = true;
  disarm(probe);
  probes.delete(probe.id);
  send({ event: 'ended', probe: probe.id, reason, summary: summarize(probe) });
}

/** V8 would swallow what a condition throws, and nobody would be charged for it. */
function when(id, reader) {
  const began = startOf();
  const probe = probes.get(id);
  if (probe === undefined) return false;
  probe.coverage.evaluate();
  let isMet = false;
  try {
    isMet = Boolean(reader());
  } catch (error) {
    probe.error ??= messageOf(error);
  }
  if (!isMet) quietly(() => charge(probe, began));
  return isMet;
}

/** Readers come one by one, as a list would belong to the application. */
function hit(id, label, ...readers) {
  const began = startOf();
  const probe = probes.get(id);
  if (probe === undefined) return false;
  quietly(() => {
    if (!probe.hasCondition) probe.coverage.evaluate();
    if (isSampled(probe)) record(probe, readers, label);
    charge(probe, began);
    if (probe.hits >= probe.hitsMax) end(probe, 'hits');
  });
  return false;
}

/** Every tenth hit for a rate of 0.1, and so on. */
function isSampled(probe) {
  const before = Math.floor(probe.met * probe.sampleRate);
  return Math.floor(++probe.met * probe.sampleRate) > before;
}

function record(probe, readers, label) {
  const { kind } = probe;
  probe.hits++;
  if (kind === 'counter') return;
  if (kind === 'branch') return choose(probe, label);
  if (kind === 'metric') return measure(probe, readers[0]);
  if (kind === 'types') return profile(probe, readers);
  const seen = readers.map(observe);
  const trace = traceId();
  sendCapture(probe, {
    hit: probe.hits,
    values: seen,
    stack: stack(probe.frames),
    ...(typeof trace === 'string' ? { traceId: trace } : {}),
  });
}

function observe(reader) {
  try {
    return values.see(reader());
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** A way has a name, or is read from the test. */
function choose(probe, label) {
  try {
    probe.tally.add(typeof label === 'function' ? label() : label);
  } catch (error) {
    probe.error ??= messageOf(error);
  }
}

function measure(probe, reader) {
  try {
    const value = reader();
    if (typeof value === 'number' && Number.isFinite(value)) probe.distribution.add(value);
    else probe.error ??= `it is ${values.kindOf(value)}, not a finite number`;
  } catch (error) {
    probe.error ??= messageOf(error);
  }
}

function profile(probe, [reader, group]) {
  const shape = shapeOf(reader);
  probe.tally.add(group === undefined ? shape : `${shapeOrValue(group)}: ${shape}`);
}

function shapeOf(reader) {
  try {
    return values.shapeOf(reader());
  } catch (error) {
    return `error: ${messageOf(error)}`;
  }
}

function shapeOrValue(reader) {
  const [, value] = observe(reader);
  return typeof value === 'object' ? 'object' : String(value).slice(0, 64);
}

/** A list of ours: the builtins of the application may be replaced. */
const list = (...items) => items;

/** For a line that is no hit. */
function pay(probe, began) {
  if (budget.spend(since(began) + limits.evaluationUs)) return;
  probe.isHot = true;
  disarm(probe);
}

function begin(id, reader) {
  const began = startOf();
  const probe = probes.get(id);
  if (probe === undefined) return false;
  quietly(() => {
    probe.coverage.evaluate();
    probe.spans.begin(reader(list));
    pay(probe, began);
  });
  return false;
}

function finish(id, reader) {
  const began = startOf();
  const probe = probes.get(id);
  if (probe === undefined) return false;
  quietly(() => {
    const ms = probe.spans.finish(reader(list));
    if (ms === undefined) return pay(probe, began);
    probe.hits++;
    probe.distribution.add(ms);
    charge(probe, began);
    if (probe.hits >= probe.hitsMax) end(probe, 'hits');
  });
  return false;
}

function sendCapture(probe, capture) {
  const text = JSON.stringify({ event: 'capture', probe: probe.id, capture });
  if (isFull(text.length)) probe.dropped++;
  else send(text);
}

function isFull(bytes) {
  const second = Math.floor(now() / 1e6);
  if (traffic.second !== second) Object.assign(traffic, { second, captures: 0, bytes: 0 });
  if (traffic.captures >= limits.capturesPerSecond) return true;
  if (traffic.bytes + bytes > limits.bytesPerSecond) return true;
  traffic.captures++;
  traffic.bytes += bytes;
  return false;
}

function summarize(probe) {
  const { hits, dropped, error, isHot } = probe;
  return {
    hits,
    ...probe.coverage.read(),
    ...(dropped > 0 ? { dropped } : {}),
    ...(error === undefined ? {} : { error }),
    ...(isHot ? { isHot } : {}),
    ...(probe.kind === 'metric' || probe.kind === 'duration'
      ? { distribution: probe.distribution.read() }
      : {}),
    ...(probe.kind === 'types' || probe.kind === 'branch' ? { tally: probe.tally.read() } : {}),
  };
}

/** Called several times a second: arms what was disarmed, and reports what is new. */
function tick() {
  let next = 0;
  for (const probe of probes.values()) {
    turn(probe);
    if (probe.isHot) next = 1;
    if (probe.posted === `${probe.hits}/${probe.coverage.read().evaluated}`) continue;
    const summary = summarize(probe);
    probe.posted = `${probe.hits}/${summary.evaluated}`;
    send({ event: 'summary', probe: probe.id, summary });
  }
  return { hot: next, probes: probes.size };
}

/** Each window costs more than its hits: V8 optimises the function and its callers anew. */
function turn(probe) {
  if (now() < suspendedUntil) return;
  const isResting = probe.isHot && now() - probe.disarmedAt < limits.restUs;
  if (probe.isArmed || isResting) return;
  // What costs more than the bucket holds would never be armed again.
  const neededUs = probe.armUs + limits.evaluationUs * windowOf(probe);
  if (budget.has(Math.min(neededUs, limits.bucketUs / 2))) arm(probe);
}

/** For the breaker: nothing is evaluated for a while, and every probe says why. */
function suspend(reason) {
  suspendedUntil = now() + limits.suspendUs;
  for (const probe of probes.values()) {
    disarm(probe);
    probe.isHot = true;
    probe.error ??= `suspended for a while: ${reason}`;
    probe.posted = '';
  }
}

function clear() {
  for (const id of [...probes.keys()]) remove(id);
}

/**
 * The probes of one thread. Breakpoint conditions call `when`, `hit`, `begin` and `finish`, which
 * never throw and never make V8 pause. Runs in a context of its own.
 */
function createInstruments(given) {
  ({ post, send, now, cpu = now, stack, limits, values, traceId = () => undefined } = given);
  probes = new Map();
  budget = createBudget({ now, limits });
  breakpoints = createBreakpoints({ post });
  traffic = { second: 0, captures: 0, bytes: 0 };
  suspendedUntil = 0;
  return {
    when,
    hit,
    begin,
    finish,
    place,
    remove,
    tick,
    suspend,
    clear,
    size: () => probes.size,
  };
}

function quietly(run) {
  try {
    run();
  } catch {
    // The application must never notice a probe that fails.
  }
}

function messageOf(error) {
  try {
    return `${error.message}`.slice(0, 256);
  } catch {
    return 'it could not be read';
  }
}

module.exports = { createInstruments };
