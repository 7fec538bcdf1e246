'use strict';

const net = require('node:net');
const tls = require('node:tls');
const context = require('./context.cjs');

/**
 * A connection remembers the context in which it was opened and calls back in it, for as long as
 * it lives. One that is opened into a pool during a keyed request would hand its key to everybody
 * who uses the pool later.
 */
function releaseSockets() {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...args) {
    return context.outside(() => Reflect.apply(connect, this, args));
  };
  const { connect: connectTls } = tls;
  tls.connect = function connect(...args) {
    return context.outside(() => Reflect.apply(connectTls, this, args));
  };
}

module.exports = { releaseSockets };
