'use strict';

const { addKey, isCarrier } = require('./lane-key.cjs');

/**
 * The headers of a keyed call as the router wants them: the key, and where the application meant
 * to go. An object stays an object and a list becomes a flat list, which all clients take.
 */
function routedHeaders(headers, { key, service, target }) {
  const given = entriesOf(headers ?? {});
  const others = given.filter(([name]) => !isOurs(name.toLowerCase()));
  const all = [...others, ...ourHeaders(given, { key, service, target })];
  return Array.isArray(headers) ? all.flat() : Object.fromEntries(all);
}

function entriesOf(headers) {
  if (!Array.isArray(headers)) return Object.entries(headers);
  if (Array.isArray(headers[0])) return headers;
  const names = headers.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [name, headers[index * 2 + 1]]);
}

function isOurs(name) {
  return isCarrier(name) || name.startsWith('x-surety-');
}

function ourHeaders(given, { key, service, target }) {
  const valuesOf = (wanted) =>
    given.filter(([name]) => name.toLowerCase() === wanted).flatMap(([, value]) => value);
  const headers = [
    ['baggage', addKey('baggage', valuesOf('baggage'), key)],
    ['tracestate', addKey('tracestate', valuesOf('tracestate'), key)],
    ['x-surety-to', target.address],
    ['x-surety-from', service],
  ];
  if (target.scheme === 'https') headers.push(['x-surety-scheme', 'https']);
  // Otherwise the client would name the router, and the service would build wrong links from it.
  if (valuesOf('host').length === 0 && target.host) headers.push(['host', target.host]);
  return headers;
}

const defaultPorts = { http: 80, https: 443 };

/** `host` is what the Host header would have been: the port is left out where it is understood. */
function targetOf(scheme, hostname, port) {
  const name = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
  const number = Number(port) || defaultPorts[scheme];
  const address = `${name}:${number}`;
  return { scheme, address, host: number === defaultPorts[scheme] ? name : address };
}

module.exports = { routedHeaders, targetOf };
