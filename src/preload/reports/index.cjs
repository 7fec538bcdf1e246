'use strict';

const { frontOf } = require('./batch.cjs');
const { attributes } = require('./field.cjs');
const { beginRequest, createOnClose } = require('./inbound.cjs');
const { createCalled } = require('./outbound-http.cjs');
const { Outbox } = require('./outbox.cjs');
const { createServed } = require('./served.cjs');
const { createTracer } = require('./tracer.cjs');
const { currentTrace, serve } = require('./trace.cjs');

/**
 * What a service does, told to telemetry by OTLP: each request with what it cost, each call, each
 * line of its output, and how the process is. Nothing of the service ever waits for it.
 */
function createReports(settings) {
  const outbox = new Outbox(settings.telemetry, frontOf(resourceOf(settings)));
  const served = createServed(outbox);
  const onClose = createOnClose(served);
  const tracer = createTracer(settings);
  require('./outbound-undici.cjs').watchUndici(outbox, settings, tracer);
  require('./output.cjs').watchOutput(outbox, tracer);
  require('./process-metrics.cjs').watchProcess(outbox);
  const { files, watchFastify } = require('./frameworks.cjs');
  watchFastify();
  watchEnd(outbox, served);
  const called = createCalled(outbox, settings);
  let streams;
  const streamed = () => {
    streams ??= require('./streams.cjs');
    return streams;
  };
  return {
    files,
    /** Runs what serves a request, knowing whose it is. */
    serve([event, request, answer], { rawHeaders, lane }, run) {
      if (tracer.isThere()) return run();
      const about = { rawHeaders, lane, served, onClose };
      switch (event) {
        case 'stream':
          return serve(streamed().beginStream(request, answer, about), run);
        case 'upgrade':
          return serve(require('./upgrades.cjs').beginUpgrade(request, answer, about), run);
        case 'connect':
          return run();
        default:
          return serve(beginRequest(request, answer, about), run);
      }
    },
    /** A call by http or https that was made, but not sent yet. */
    called: (request, scheme) => (tracer.isThere() ? request : called(request, scheme)),
    /** The same by HTTP/2, before it is made. */
    stream: (call) => (tracer.isThere() ? {} : streamed().createStreamed(outbox)(call)),
    current: currentTrace,
  };
}

/** A request that ends the process has no other end; what is left goes out as far as it can. */
function watchEnd(outbox, served) {
  process.on('uncaughtExceptionMonitor', (error) => {
    const trace = currentTrace();
    if (trace === undefined) return;
    trace.error = error;
    served(trace);
  });
  process.on('exit', () => outbox.sendLast());
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
