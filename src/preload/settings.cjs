'use strict';

const { fileURLToPath } = require('node:url');

/** Reads, in the service, the variables that `tagEnvironment` of index.ts has written. */
function readSettings(environment) {
  const { SURETY_SERVICE, SURETY_INSTANCE, SURETY_HEADER } = environment;
  return {
    router: readRouter(environment.SURETY_ROUTER),
    service: SURETY_SERVICE ?? '',
    instance: SURETY_INSTANCE ?? '',
    /** The key of the lane whose candidate this is. */
    lane: environment.SURETY_LANE || undefined,
    header: SURETY_HEADER ? SURETY_HEADER.toLowerCase() : undefined,
    traceSecret: readSecret(environment.SURETY_TRACE_SECRET),
    listenPort: readNumber(environment.SURETY_LISTEN_PORT),
    ownPort: readNumber(environment.SURETY_OWN_PORT),
    reusePort: environment.SURETY_REUSE_PORT === '1',
    hosts: readHosts(environment.SURETY_HOSTS ?? ''),
    telemetry: readTelemetry(environment.SURETY_TELEMETRY),
    /** Where to record which of the watched lines run. */
    coverage: readDirectory(environment.SURETY_COVERAGE),
    /** Signs what is reported. */
    senderKey: environment.SURETY_SENDER_KEY || undefined,
  };
}

const addressForm = /^([\w.-]+):(\d{1,5})$/;

function readRouter(text) {
  const [, host, port] = addressForm.exec(text) ?? [];
  // Without the router, keyed requests would go to the baseline unnoticed.
  if (!host) throw new Error(`SURETY_ROUTER must be host:port, but is "${text}".`);
  return { host, port: Number(port) };
}

/** Nothing depends on it: an invalid value only turns off reports. */
function readTelemetry(text) {
  const [, host, port] = addressForm.exec(text) ?? [];
  return host ? { host, port: Number(port) } : undefined;
}

function readSecret(text) {
  if (!text) return undefined;
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new Error('SURETY_TRACE_SECRET must be 64 hex digits.');
  return Buffer.from(text, 'hex');
}

/** Nothing depends on it either. */
function readDirectory(url) {
  return url?.startsWith('file:///') ? fileURLToPath(url) : undefined;
}

function readNumber(text) {
  return text ? Number(text) : undefined;
}

/** `pricing:80=127.0.0.1:4302,pricing.internal:*=127.0.0.1:4302`, by `name:port` and `name:*`. */
function readHosts(text) {
  return new Map(
    text
      .split(',')
      .filter((entry) => entry.trim() !== '')
      .map(readHost),
  );
}

const hostForm = /^\s*([\w.-]+):(\d{1,5}|\*)=([\w.-]+):(\d{1,5})\s*$/;

function readHost(entry) {
  const [, name, from, host, port] = hostForm.exec(entry) ?? [];
  if (!name) throw new Error(`SURETY_HOSTS must be name:port=host:port,…, but has "${entry}".`);
  return [`${name.toLowerCase()}:${from}`, { host, port: Number(port) }];
}

module.exports = { readSettings };
