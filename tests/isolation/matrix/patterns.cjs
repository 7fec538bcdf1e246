'use strict';

/** Ways in which services of Node work asynchronously, by name. */
module.exports = {
  patterns: {
    ...require('./patterns/plain.cjs'),
    ...require('./patterns/limits.cjs'),
    ...require('./patterns/queues.cjs'),
    ...require('./patterns/shared.cjs'),
  },
};
