'use strict';

const net = require('node:net');
const tls = require('node:tls');
const context = require('./context.cjs');

/**
 * A connection remembers the context in which it was opened and calls back in it, for as long as
 * it lives. One that is opened into a pool during a keyed request would hand its key to everybody
 * who uses the pool later. This is also where every connection of a process passes that goes to a
 * host by its name; TLS still asks for the name that the application gave.
 */
function tagSockets({ hosts, listenPort }) {
  const remap = hosts.size > 0 || listenPort !== undefined ? openHosts(hosts) : (args) => args;
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...args) {
    return context.outside(() => Reflect.apply(connect, this, remap(args)));
  };
  const { connect: connectTls } = tls;
  tls.connect = function connect(...args) {
    return context.outside(() => Reflect.apply(connectTls, this, args));
  };
}

function openHosts(hosts) {
  const { answerLookups, remap, setHosts } = require('./hosts.cjs');
  setHosts(hosts);
  answerLookups();
  return remap;
}

module.exports = { tagSockets };
