'use strict';

let failures = 0;

/**
 * For everything that Node calls rather than the service: an error of ours, or unexpected behaviour
 * of an application, costs a report and never the service.
 */
function safely(run, first, second) {
  try {
    return run(first, second);
  } catch {
    failures++;
    return undefined;
  }
}

module.exports = { safely, countFailures: () => failures };
