'use strict';

/** What pools of threads run. */
module.exports = (value) => value;
module.exports.run = module.exports;
