'use strict';

const { setTimeout } = require('node:timers');
const { frontOf } = require('./otlp/batch.cjs');
const { createCalls } = require('./calls/calls.cjs');
const { databaseFiles } = require('./databases/databases.cjs');
const { attributes } = require('./otlp/field.cjs');
const { lazily } = require('../lazily.cjs');
const { beginRequest, beginTrace, traceOf, watchAnswers } = require('./requests/inbound.cjs');
const { createCalled } = require('./calls/outbound-http.cjs');
const { Outbox } = require('./otlp/outbox.cjs');
const { safely } = require('./safely.cjs');
const { createServed } = require('./requests/served.cjs');
const { createTracer } = require('./tracer.cjs');
const { currentTrace, enter, run } = require('./trace.cjs');

/**
 * What a service does, told to telemetry by OTLP: each request with what it cost, each call, each
 * line of its output, and how the process is. Nothing of the service ever waits for it.
 */
function createReports(settings) {
  const outbox = new Outbox(settings.telemetry, frontOf(resourceOf(settings)));
  const served = createServed(outbox);
  const watchConnection = watchAnswers(served);
  const calls = createCalls(outbox);
  const tracer = createTracer(settings);
  require('./calls/outbound-undici.cjs').watchUndici(calls, settings, tracer);
  require('./process/output.cjs').watchOutput(outbox, tracer);
  watchProcessLater(outbox, settings.lane);
  const { files, watchFastify } = require('./requests/frameworks.cjs');
  watchFastify();
  watchEnd(outbox, served);
  const called = createCalled(calls, settings);
  const streamed = lazily(() => require('./requests/streams.cjs'));
  const upgraded = lazily(() => require('./requests/upgrades.cjs'));
  return {
    files: { __proto__: null, ...files, ...databaseFiles(calls, tracer) },
    /** Begins to measure what has come; undefined for what is not reported. */
    begin(args, rawHeaders, lane) {
      const event = args[0];
      const request = args[1];
      const answer = args[2];
      if (tracer.isThere() || event === 'connect') return undefined;
      if (event === 'stream')
        return streamed().beginStream(request, answer, { rawHeaders, lane, served });
      if (event === 'upgrade')
        return upgraded().beginUpgrade(request, answer, { rawHeaders, lane, served });
      // Some applications hand a request on by emitting it again.
      const known = traceOf(answer);
      if (known !== undefined) return known;
      watchConnection(request.socket);
      return beginRequest(request, answer, beginTrace(rawHeaders, lane));
    },
    /** What serves the request knows whose it is: by entering it if that is enough, else by run. */
    enter,
    run,
    /** A call by http or https that was made, but not sent yet. */
    called: (request, scheme) => (tracer.isThere() ? request : called(request, scheme)),
    /** The same by HTTP/2, before it is made. */
    stream: (call) => (tracer.isThere() ? {} : streamed().createStreamed(calls)(call)),
    current: currentTrace,
    messaging: lazily(() =>
      require('./calls/messaging.cjs').createMessaging({ calls, served, tracer }),
    ),
  };
}

/** When a service has been started: until then it has other things to load. */
const firstLookMs = 1_000;

function watchProcessLater(outbox, lane) {
  const watch = () =>
    require('./process/process-metrics.cjs').watchProcess(outbox, lane !== undefined);
  setTimeout(() => safely(watch), firstLookMs).unref();
}

/**
 * A request that ends the process has no other end, and is told when it does: an application may
 * also survive what nobody caught, and answer. What is left goes out as far as it can.
 */
function watchEnd(outbox, served) {
  let last;
  const note = (error) => {
    last = currentTrace();
    if (last !== undefined) last.error = error;
  };
  const tellLast = () => {
    if (last !== undefined) served(last);
    outbox.sendLast();
  };
  process.on('uncaughtExceptionMonitor', (error) => safely(note, error));
  process.on('exit', () => safely(tellLast));
}

function resourceOf({ service, instance, lane }) {
  return attributes(1, {
    'service.name': service,
    'service.instance.id': instance,
    'surety.lane': lane,
    'process.pid': process.pid,
    'telemetry.sdk.name': 'surety',
    'telemetry.sdk.language': 'nodejs',
  });
}

module.exports = { createReports };
