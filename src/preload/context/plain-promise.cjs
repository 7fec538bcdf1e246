'use strict';

const { types } = require('node:util');

const { prototype } = Promise;

/**
 * Whether it is what an async function returns. Subclasses and thenables may start their work only
 * when somebody awaits them, as queries of several libraries do.
 */
const isPlainPromise = (value) =>
  types.isPromise(value) && Object.getPrototypeOf(value) === prototype;

module.exports = { isPlainPromise };
