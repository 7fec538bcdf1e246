'use strict';

const { isLoopback } = require('./hosts.cjs');

/** Where the SDKs of OpenTelemetry are told to send what they collect. */
const endpointName = /^OTEL_EXPORTER_(?:\w+_)?ENDPOINT$/;

let addresses = new Set();

/** The usual ports of collectors of OTLP and Zipkin, which may be services of the system, too. */
const collectorPorts = new Set(['4317', '4318', '9411']);

/**
 * Called at the start, before a program can name other addresses. A call to a service that is no
 * collector is a part of a request, whatever the variables say.
 */
function setExporters(environment, services) {
  const targets = Object.entries(environment)
    .filter(([name]) => endpointName.test(name))
    .flatMap(([, value]) => targetIn(value))
    .filter((target) => collectorPorts.has(target.port) || !isService(target, services));
  addresses = new Set(targets.map(({ host, port }) => `${host}:${port}`));
}

const defaultPorts = { 'http:': '80', 'https:': '443' };

/** `http://collector:4318/v1/traces`, or `collector:4317` for gRPC. */
function targetIn(endpoint) {
  try {
    const { protocol, hostname, port } = new URL(
      /^\w+:\/\//.test(endpoint) ? endpoint : `grpc://${endpoint}`,
    );
    return [{ host: hostname, port: port || defaultPorts[protocol] || '4317' }];
  } catch {
    return [];
  }
}

function isService({ host, port }, { hosts, router }) {
  const name = host.toLowerCase().replace(/\.$|[[\]]/g, '');
  if (hosts.has(`${name}:${port}`) || hosts.has(`${name}:*`)) return true;
  return [...hosts.values(), router].some(
    (one) =>
      one.port === Number(port) &&
      (one.host.toLowerCase() === name || (isLoopback(one.host) && isLoopback(name))),
  );
}

/**
 * Whether a call exports telemetry. That is no part of a request: it is sent for all requests
 * together, needs no key, and nothing is lost by that.
 */
function isExporter(address) {
  return address !== undefined && addresses.has(address);
}

module.exports = { isExporter, setExporters };
