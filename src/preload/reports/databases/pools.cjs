'use strict';

const context = require('../../context/context.cjs');
const { waitBegins, waitEnds } = require('../../context/handled.cjs');
const { nowMs } = require('../clock.cjs');
const { Durations } = require('../process/durations.cjs');

/** The pools of database connections in this process, as long as somebody else refers to them. */
const pools = new Set();
const poolsMax = 100;
const waits = new Durations('db.client.connection.wait_time');
// Read by the debugger while this process is under load.
process[Symbol.for('surety.waits')] = waits;

/** The pool of `pg`. Waiting for a connection is the first sign of a slow database. */
function watchPool(Pool) {
  const { connect } = Pool.prototype;
  if (typeof connect !== 'function') return;
  const known = new WeakSet();
  Pool.prototype.connect = function (callback, ...others) {
    // The callback is called by whoever returns a connection, in the context of another request.
    const args = callback === undefined ? [] : [context.bound(callback), ...others];
    if (!known.has(this) && pools.size < poolsMax) pools.add(new WeakRef(this));
    known.add(this);
    if (this.idleCount > this.waitingCount) {
      waits.add(0);
      return Reflect.apply(connect, this, args);
    }
    return connectSlowly(this, connect, args);
  };
}

/** A wait that ends without a connection counts, too. */
function connectSlowly(pool, connect, args) {
  const fromMs = nowMs();
  const serving = context.serving();
  if (serving !== undefined) waitBegins(serving);
  const note = () => {
    if (serving !== undefined) waitEnds(serving);
    waits.add(nowMs() - fromMs);
  };
  const [callback, ...others] = args;
  if (typeof callback === 'function') {
    const noting = function (...answer) {
      note();
      return Reflect.apply(callback, this, answer);
    };
    return Reflect.apply(connect, pool, [noting, ...others]);
  }
  const connected = Reflect.apply(connect, pool, args);
  if (typeof connected?.then !== 'function') return connected;
  // Returns the derived promise, so that an unhandled rejection stays unhandled.
  return connected.then(
    (client) => {
      note();
      return client;
    },
    (error) => {
      note();
      throw error;
    },
  );
}

function poolsOf() {
  const open = [...pools].flatMap((held) => {
    const pool = held.deref();
    if (pool === undefined || pool.ended) pools.delete(held);
    return pool ?? [];
  });
  if (open.length === 0) return [];
  const sum = (name) => open.reduce((total, pool) => total + (pool[name] ?? 0), 0);
  const count = 'db.client.connection.count';
  const [unit, idle] = ['{connection}', sum('idleCount')];
  return [
    {
      name: 'db.client.connection.pending_requests',
      unit: '{request}',
      value: sum('waitingCount'),
      labels: {},
    },
    { name: count, unit, value: idle, labels: { state: 'idle' } },
    { name: count, unit, value: sum('totalCount') - idle, labels: { state: 'used' } },
    waits,
  ];
}

module.exports = { watchPool, poolsOf };
