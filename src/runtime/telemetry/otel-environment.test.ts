import { expect, test } from 'vitest';
import { otelEnvironment } from './otel-environment.ts';

const reporting = {
  service: 'pricing',
  instance: 'pricing/lane_7/run_1',
  lane: 'lane_7',
  telemetryPort: 4318,
  credential: 'pricing/lane_7/run_1:ab',
};

test('an OpenTelemetry SDK receives its endpoint and its service name', () => {
  expect(otelEnvironment({}, reporting)).toEqual({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_HEADERS: 'surety-sender=pricing/lane_7/run_1:ab',
    OTEL_SERVICE_NAME: 'pricing',
    OTEL_RESOURCE_ATTRIBUTES:
      'surety.service=pricing,service.instance.id=pricing%2Flane_7%2Frun_1,surety.lane=lane_7',
  });
});

test('variables that a service sets itself stay, and its resource attributes are added', () => {
  const own = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces',
    OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=7,a=b',
  };
  expect(otelEnvironment(own, { ...reporting, lane: undefined })).toEqual({
    OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=7,a=b,surety.service=pricing',
  });
  expect(otelEnvironment({ OTEL_SERVICE_NAME: 'own' }, reporting)).not.toHaveProperty(
    'OTEL_SERVICE_NAME',
  );
});
