'use strict';

const { setTimeout } = require('node:timers');
const { followWall, nowMs } = require('../clock.cjs');
const cpu = require('./cpu.cjs');
const {
  attributes,
  doubleField,
  field,
  fixedField,
  message,
  numberField,
} = require('../otlp/field.cjs');
const { watchGarbage } = require('./garbage.cjs');
const { poolsOf } = require('../databases/pools.cjs');
const { countFailures, safely } = require('../safely.cjs');
const wire = require('../otlp/wire.cjs');

const everyMs = 5_000;
/** A candidate lives for minutes and is compared meanwhile. */
const everyMsInLane = 1_000;
/** The resolution of the event-loop delay, measured by a timer of Node without JavaScript. */
const resolutionMs = 20;
const metricBytes = 4_096;

/**
 * Reports the state of the process every few seconds, with the names of OpenTelemetry if it has
 * any.
 */
function watchProcess(outbox, isInLane) {
  const loop = { delays: undefined, used: undefined };
  const garbageOf = watchGarbage(isInLane);
  let grownMs = -everyMs;
  const measure = () => {
    followWall();
    if (nowMs() - grownMs >= everyMs) {
      cpu.grow();
      grownMs = nowMs();
    }
    tell(outbox, [
      ...memory(),
      ...processor(),
      ...loopOf(loop),
      ...garbageOf(),
      ...handles(),
      ...poolsOf(),
      ...own(outbox),
    ]);
  };
  const again = () => {
    safely(() => cpu.exclude(measure));
    setTimeout(again, isInLane ? everyMsInLane : everyMs).unref();
  };
  again();
}

function memory() {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  return [
    gauge('process.memory.usage', 'By', rss),
    gauge('v8js.memory.heap.used', 'By', heapUsed),
    gauge('v8js.memory.heap.total', 'By', heapTotal),
    gauge('v8js.memory.external', 'By', external),
  ];
}

function processor() {
  const { user, system } = process.cpuUsage();
  return [
    counter('process.cpu.time', 's', user / 1e6, { 'cpu.mode': 'user' }),
    counter('process.cpu.time', 's', system / 1e6, { 'cpu.mode': 'system' }),
    counter('process.uptime', 's', process.uptime()),
  ];
}

/** Loaded at the first measurement, long after the start of the service. */
function loopOf(loop) {
  const { monitorEventLoopDelay, performance } = require('node:perf_hooks');
  const used = performance.eventLoopUtilization();
  const { utilization } = performance.eventLoopUtilization(used, loop.used);
  loop.used = used;
  const { delays } = loop;
  if (delays === undefined) {
    loop.delays = monitorEventLoopDelay({ resolution: resolutionMs });
    loop.delays.enable();
    return [gauge('nodejs.eventloop.utilization', '1', utilization)];
  }
  const secondsOf = (nanoseconds) => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1_000) || 0;
  const metrics = [
    gauge('nodejs.eventloop.utilization', '1', utilization),
    gauge('nodejs.eventloop.delay.p50', 's', secondsOf(delays.percentile(50))),
    gauge('nodejs.eventloop.delay.p99', 's', secondsOf(delays.percentile(99))),
    gauge('nodejs.eventloop.delay.max', 's', secondsOf(delays.max)),
  ];
  delays.reset();
  return metrics;
}

function handles() {
  const open = process.getActiveResourcesInfo?.() ?? [];
  const sockets = open.filter((kind) => kind === 'TCPSocketWrap' || kind === 'PipeWrap');
  return [
    gauge('nodejs.active_resources', '{resource}', open.length),
    gauge('nodejs.open_sockets', '{socket}', sockets.length),
  ];
}

/** What is missing in the reports, and what could not be reported. */
function own({ dropped }) {
  const lost = Object.entries(dropped).map(([signal, count]) =>
    counter('surety.reports.dropped', '{item}', count, { signal }),
  );
  const served = gauge('http.server.active_requests', '{request}', cpu.countInFlight());
  return [...lost, served, counter('surety.reports.failures', '{failure}', countFailures())];
}

const gauge = (name, unit, value, labels = {}) => ({ name, unit, value, labels, isSum: false });
const counter = (name, unit, value, labels = {}) => ({ name, unit, value, labels, isSum: true });

function tell(outbox, metrics) {
  const at = nowMs();
  for (const metric of metrics) {
    const batch = outbox.open('metrics', metricBytes);
    if (batch === undefined) return;
    wire.putBytes(batch, encode(metric, at));
    outbox.added(batch);
  }
}

function encode(metric, at) {
  const time = { bytes: Buffer.alloc(9), at: 0 };
  wire.putMoment(time, 0x19, at);
  const data = metric.count === undefined ? encodeNumber : encodeDurations;
  return message(2, field(1, metric.name), field(3, metric.unit), data(metric, time.bytes));
}

const cumulative = numberField(2, 2);

function encodeNumber({ value, labels, isSum }, time) {
  const point = message(1, time, doubleField(4, value), attributes(7, labels));
  if (!isSum) return message(5, point);
  const isMonotonic = numberField(3, 1);
  return message(7, point, cumulative, isMonotonic);
}

function encodeDurations({ count, value, labels }, time) {
  const sum = doubleField(5, value);
  return message(9, message(1, time, fixedField(4, count), sum, attributes(9, labels)), cumulative);
}

module.exports = { watchProcess, gauge };
