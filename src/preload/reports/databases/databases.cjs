'use strict';

const { lazily } = require('../../lazily.cjs');
const { watchPool } = require('./pools.cjs');
const { safely } = require('../safely.cjs');

/** Files of packages that services use to query databases: see packages.cjs. */
function databaseFiles(calls, tracer) {
  const queries = lazily(() => require('./queries.cjs').createQueries(calls, tracer));
  // An unknown version of a package is loaded as usual, without reports.
  const tagged = (file, name) => (exported) =>
    safely(() => require(file)[name](exported, queries()));
  const redis = (name) => tagged('./redis.cjs', name);
  return {
    'client.js': {
      ends: ['/pg/lib/client.js'],
      tag: tagged('./postgres.cjs', 'watchPostgres'),
    },
    'Redis.js': { ends: ['/ioredis/built/Redis.js'], tag: redis('watchIoredis') },
    'commands-queue.js': {
      ends: ['/@redis/client/dist/lib/client/commands-queue.js'],
      tag: redis('watchNodeRedisQueue'),
    },
    'index.js': [
      { ends: ['/pg-pool/index.js'], tag: watchPool },
      { ends: ['/ioredis/built/redis/index.js'], tag: redis('watchIoredis') },
      { ends: ['/ioredis/built/cluster/index.js'], tag: redis('watchIoredisCluster') },
      { ends: ['/@redis/client/dist/lib/client/index.js'], tag: redis('watchNodeRedis') },
    ],
  };
}

module.exports = { databaseFiles };
