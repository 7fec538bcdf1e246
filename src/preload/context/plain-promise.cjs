'use strict';

const { types } = require('node:util');

const { prototype } = Promise;

/**
 * What an async function returns. Others, also those made from promises, may begin to work only
 * when somebody asks them for their end: queries of several libraries do.
 */
const isPlainPromise = (value) =>
  types.isPromise(value) && Object.getPrototypeOf(value) === prototype;

module.exports = { isPlainPromise };
