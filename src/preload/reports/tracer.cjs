'use strict';

/** Where all copies of OpenTelemetry's API in a process keep their global state. */
const apiSymbol = Symbol.for('opentelemetry.js.api.1');
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN');

/**
 * A service may have its own tracer. If that reports to the same receiver, each request would be
 * reported twice, so the tracer alone reports requests and calls, because it knows more about them.
 * A tracer that reports elsewhere is ignored.
 */
function createTracer({ telemetry }, environment = process.env) {
  const reportsToUs = isOurs(endpointOf(environment), telemetry);
  return {
    isThere: () => reportsToUs && globalThis[apiSymbol]?.trace !== undefined,
    /** The ids of the active span, as hexadecimal texts. */
    current() {
      const active = globalThis[apiSymbol]?.context?.active?.();
      return active?.getValue?.(spanKey)?.spanContext?.();
    },
  };
}

function endpointOf(environment) {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER = 'otlp' } = environment;
  if (OTEL_SDK_DISABLED === 'true' || !OTEL_TRACES_EXPORTER.includes('otlp')) return '';
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT } = environment;
  return own ?? OTEL_EXPORTER_OTLP_ENDPOINT ?? '';
}

function isOurs(endpoint, { host, port }) {
  const at = endpoint.replace('localhost', '127.0.0.1');
  return at.includes(`//${host}:${port}`);
}

module.exports = { createTracer };
