'use strict';

/**
 * Packages from npm that queue, pool, cache, batch or call, by name and version: a set in which
 * they are installed together, and a pattern that uses them. Each pattern shares what the package
 * makes between all requests, as a service does.
 */
const packages = {
  ...require('./packages/queues.cjs'),
  ...require('./packages/clients.cjs'),
  ...require('./packages/stores.cjs'),
};

module.exports = { packages };
