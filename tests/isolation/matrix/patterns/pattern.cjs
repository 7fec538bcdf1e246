'use strict';

/**
 * A pattern is a way in which services work asynchronously, on state that all requests share. It
 * gets `load`, which calls the next service and returns a promise of its answer, and `get`, which
 * does the same with a callback.
 */
module.exports = function createPatterns() {
  const patterns = {};
  return {
    patterns,
    /** A pattern that returns a promise. */
    promised(name, make) {
      patterns[name] = make;
    },
    /** A pattern that calls `done`. */
    called(name, make) {
      patterns[name] = () => answering(make());
    },
  };
};

/** The answer is written where the pattern calls back, as code with callbacks does it. */
function answering(run) {
  return (work) =>
    new Promise((resolve, reject) => {
      work.done = (error, value) => {
        if (error) reject(error);
        else work.reply(value, resolve);
      };
      run(work);
    });
}
