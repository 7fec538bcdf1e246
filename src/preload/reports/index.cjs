'use strict';

const { setTimeout } = require('node:timers');
const { frontOf } = require('./otlp/batch.cjs');
const { createCalls } = require('./calls/calls.cjs');
const { databaseFiles } = require('./databases/databases.cjs');
const { attributes } = require('./otlp/field.cjs');
const { lazily } = require('../lazily.cjs');
const { beginRequest, beginTrace, traceOf, watchAnswers } = require('./requests/inbound.cjs');
const { createCalled } = require('./calls/outbound-http.cjs');
const { formatTraceId } = require('./otlp/ids.cjs');
const { Outbox } = require('./otlp/outbox.cjs');
const { safely } = require('./safely.cjs');
const { createServed } = require('./requests/served.cjs');
const { createTracer } = require('./tracer.cjs');
const { currentTrace, enter, idsOf, run, traceOfCall } = require('./trace.cjs');

/**
 * Reports to telemetry, by OTLP, what a service does: each request with its cost, each call, each
 * line of output, and the state of the process. The service never waits for it.
 */
function createReports(settings) {
  const outbox = new Outbox(settings.telemetry, frontOf(resourceOf(settings), settings));
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
    /** Starts to measure a request; undefined for one that is not reported. */
    begin(args, rawHeaders, lane) {
      const event = args[0];
      const request = args[1];
      const answer = args[2];
      if (tracer.isThere() || event === 'connect') return undefined;
      if (event === 'stream')
        return streamed().beginStream(request, answer, { rawHeaders, lane, served });
      if (event === 'upgrade')
        return upgraded().beginUpgrade(request, answer, { rawHeaders, lane, served });
      // Some applications pass a request on by emitting it again.
      const known = traceOf(answer);
      if (known !== undefined) return known;
      watchConnection(request.socket);
      return beginRequest(request, answer, beginTrace(rawHeaders, lane));
    },
    /**
     * Makes the code that handles a request know it: by `enter` if that is enough, else by `run`.
     */
    enter,
    run,
    /** A call by http or https that was made, but not sent yet. */
    called: (request, scheme) => (tracer.isThere() ? request : called(request, scheme)),
    /** The same for HTTP/2, before the call is made. */
    stream: (call) => (tracer.isThere() ? {} : streamed().createStreamed(calls)(call)),
    /** The trace that a call carries which is made now. */
    current: traceOfCall,
    /** The trace of the request that code runs for, as 32 digits; undefined outside of one. */
    traceId() {
      if (tracer.isThere()) return tracer.current()?.traceId;
      const trace = currentTrace();
      return trace === undefined ? undefined : formatTraceId(idsOf(trace));
    },
    messaging: lazily(() =>
      require('./calls/messaging.cjs').createMessaging({ calls, served, tracer }),
    ),
  };
}

/** Later than the start of a service, which has other things to load until then. */
const firstLookMs = 1_000;

function watchProcessLater(outbox, lane) {
  const watch = () =>
    require('./process/process-metrics.cjs').watchProcess(outbox, lane !== undefined);
  setTimeout(() => safely(watch), firstLookMs).unref();
}

/**
 * A request that ends the process is reported at that moment. The application may also survive an
 * uncaught error and answer. The remaining reports are sent as far as possible.
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
