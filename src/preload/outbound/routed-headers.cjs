'use strict';

const { addKey, isCarrier } = require('../key/lane-key.cjs');
const { findMoved, nameOfAddress } = require('./hosts.cjs');

/**
 * The headers of a keyed call for the router: the key, and the target that the application meant.
 * An object stays an object, and a list becomes a flat list, which all clients accept.
 */
function routedHeaders(headers, { caller, settings, target }) {
  const given = entriesOf(headers ?? {});
  const others = given.filter(([name]) => !isOurs(name.toLowerCase(), settings.header));
  const all = [...others, ...ourHeaders(given, { caller, settings, target })];
  return isList(headers) ? all.flat() : Object.fromEntries(all);
}

function isList(headers) {
  return typeof headers?.[Symbol.iterator] === 'function';
}

function entriesOf(headers) {
  if (!isList(headers)) return Object.entries(headers);
  const list = [...headers];
  if (Array.isArray(list[0])) return list;
  const names = list.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [String(name), list[index * 2 + 1]]);
}

function isOurs(name, header) {
  return isCarrier(name) || name === header || name.startsWith('x-surety-');
}

function ourHeaders(given, { caller, settings, target }) {
  const valuesOf = (wanted) =>
    given.filter(([name]) => name.toLowerCase() === wanted).flatMap(([, value]) => value);
  const isAbsent = (name) => valuesOf(name).length === 0;
  const { key, handedOn } = caller;
  const headers = [
    ['baggage', addKey('baggage', withFaults(valuesOf('baggage'), handedOn.baggage), key)],
    ['tracestate', addKey('tracestate', valuesOf('tracestate'), key)],
    ['x-surety-to', target.address],
    ['x-surety-from', settings.service],
    ...Object.entries(handedOn).filter(([name]) => isAbsent(name) && !isCarrier(name)),
  ];
  if (caller.isOwn) headers.push(['x-surety-own-call', '1']);
  if (settings.header) headers.push([settings.header, key]);
  if (target.scheme === 'https') headers.push(['x-surety-scheme', 'https']);
  // Otherwise the client would send the router's host, and the service would build wrong links from
  // it.
  if (target.host && isAbsent('host')) headers.push(['host', target.host]);
  return headers;
}

/** Adds the injected faults, unless the application itself passes its baggage on. */
function withFaults(given, faults) {
  return !faults || given.some((text) => String(text).includes('surety-fault'))
    ? given
    : [...given, faults];
}

const defaultPorts = { http: 80, https: 443 };

/** `host` is what the Host header would have been, without the default port. */
function targetOf(scheme, hostname, port) {
  const known = nameOfAddress(hostname) ?? hostname;
  const name = known.includes(':') && !known.startsWith('[') ? `[${known}]` : known;
  const asked = Number(port) || defaultPorts[scheme];
  const number = findMoved(known, asked) ?? asked;
  const address = `${name}:${number}`;
  return { scheme, address, host: number === defaultPorts[scheme] ? name : address };
}

module.exports = { routedHeaders, targetOf, entriesOf };
