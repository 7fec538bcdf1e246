'use strict';

const { lazily } = require('../lazily.cjs');

/** Where the SDKs of OpenTelemetry are told to send what they collect. */
const endpointName = /^OTEL_EXPORTER_(?:\w+_)?ENDPOINT$/;

const addresses = lazily(
  () =>
    new Set(
      Object.entries(process.env)
        .filter(([name]) => endpointName.test(name))
        .flatMap(([, value]) => addressIn(value)),
    ),
);

const defaultPorts = { 'http:': '80', 'https:': '443' };

/** `http://collector:4318/v1/traces`, or `collector:4317` for gRPC. */
function addressIn(endpoint) {
  try {
    const { protocol, hostname, port } = new URL(
      /^\w+:\/\//.test(endpoint) ? endpoint : `grpc://${endpoint}`,
    );
    return [`${hostname}:${port || defaultPorts[protocol] || '4317'}`];
  } catch {
    return [];
  }
}

/**
 * Whether a call exports telemetry. That is no part of a request: it is sent for all requests
 * together, needs no key, and nothing is lost by that.
 */
function isExporter(address) {
  return address !== undefined && addresses().has(address);
}

module.exports = { isExporter };
