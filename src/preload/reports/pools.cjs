'use strict';

/** Pools of database connections that were made here, as long as somebody else holds them. */
const pools = new Set();
const poolsMax = 100;

/** The pool of `pg`: who waits in it is the first sign of a slow database. */
function watchPool(Pool) {
  const { connect } = Pool.prototype;
  if (typeof connect !== 'function') return;
  const known = new WeakSet();
  Pool.prototype.connect = function (...args) {
    if (!known.has(this) && pools.size < poolsMax) pools.add(new WeakRef(this));
    known.add(this);
    return Reflect.apply(connect, this, args);
  };
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
  ];
}

module.exports = { watchPool, poolsOf };
