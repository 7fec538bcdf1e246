'use strict';

const { existsSync } = require('node:fs');
const loader = require('node:module');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

/**
 * Loaded into suites by NODE_OPTIONS=--require: `surety/suite` is found where Surety is, also by
 * suites of a system that has not installed it. One that has gets its own.
 */
const built = join(__dirname, '..', 'suite.js');
const own = pathToFileURL(existsSync(built) ? built : join(__dirname, 'index.ts')).href;

// Older versions of Node have it not: there a suite needs Surety among its packages.
loader.registerHooks?.({
  resolve(specifier, context, next) {
    if (specifier !== 'surety/suite') return next(specifier, context);
    try {
      return next(specifier, context);
    } catch {
      return { url: own, shortCircuit: true };
    }
  },
});
