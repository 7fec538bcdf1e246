'use strict';

const { replace } = require('../replace.cjs');

/**
 * Where connections to hard-coded host names of services and to moved ports really go. DNS is not
 * asked, because it may not know these names.
 */
let hosts = new Map();
let names = new Map();
const movedPorts = new Map();

function setHosts(known) {
  hosts = known;
  const distinct = new Set([...known.keys()].map((name) => name.slice(0, name.lastIndexOf(':'))));
  names = new Map([...distinct].map((name, index) => [name, standIn(index)]));
}

/** An address of this machine for each name, for clients that resolve names themselves. */
function standIn(index) {
  return `127.83.${index >> 8}.${(index & 255) + 1}`;
}

function nameOfAddress(address) {
  if (!address.startsWith('127.83.')) return undefined;
  return [...names].find(([, stand]) => stand === address)?.[0];
}

function addressOfName(name) {
  return names.get(name.toLowerCase().replace(/\.$/, ''));
}

/** Where a connection to this host and port goes instead; undefined if it is unchanged. */
function findHost(host, port) {
  const name = (nameOfAddress(host) ?? host).toLowerCase().replace(/\.$/, '');
  const known = hosts.get(`${name}:${port}`) ?? hosts.get(`${name}:*`);
  if (known) return known;
  const moved = findMoved(name, port);
  return moved === undefined ? undefined : { host: '127.0.0.1', port: moved };
}

/** The port that a server of this process was moved to from this one. */
function findMoved(host, port) {
  return isLoopback(host) ? movedPorts.get(Number(port)) : undefined;
}

function isLoopback(host) {
  return host === 'localhost' || host === '::1' || /^127\./.test(host) || host === '0.0.0.0';
}

const isNeeded = () => hosts.size > 0 || movedPorts.size > 0;

/** Arguments of `socket.connect`, as given by an application or as normalised by Node. */
function remap(args) {
  if (!isNeeded()) return args;
  const [first, second] = args;
  if (Array.isArray(first)) {
    first[0] = remapOptions(first[0]);
    return args;
  }
  if (typeof first === 'object' && first !== null) return [remapOptions(first), ...args.slice(1)];
  const host = typeof second === 'string' ? second : 'localhost';
  const known = isPort(first) ? findHost(host, first) : undefined;
  return known ? [known, args.find((arg) => typeof arg === 'function')] : args;
}

function isPort(value) {
  return typeof value === 'number' || /^\d{1,5}$/.test(value);
}

function remapOptions(options) {
  if (options.path || options.port === undefined) return options;
  const known = findHost(String(options.host ?? 'localhost'), options.port);
  return known ? { ...options, ...known } : options;
}

/** For clients that resolve a name first and then connect to the address, as gRPC does. */
function answerLookups() {
  if (hosts.size === 0) return;
  const dns = require('node:dns');
  replace(
    dns,
    'lookup',
    (lookup) =>
      function (name, ...rest) {
        const address = typeof name === 'string' ? addressOfName(name) : undefined;
        if (address === undefined) return Reflect.apply(lookup, this, [name, ...rest]);
        const [options, callback = options] = rest;
        const found = options?.all ? [[{ address, family: 4 }]] : [address, 4];
        process.nextTick(callback, null, ...found);
        return {};
      },
  );
  replace(
    dns.promises,
    'lookup',
    (lookup) =>
      async function (name, options) {
        const address = typeof name === 'string' ? addressOfName(name) : undefined;
        if (address === undefined) return Reflect.apply(lookup, this, [name, options]);
        return options?.all ? [{ address, family: 4 }] : { address, family: 4 };
      },
  );
}

const move = (from, to) => movedPorts.set(from, to);

module.exports = { setHosts, findMoved, isLoopback, nameOfAddress, remap, answerLookups, move };
