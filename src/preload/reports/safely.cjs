'use strict';

let failures = 0;

/**
 * For all that is called by Node and not by the service: a mistake of ours, or an answer of an
 * application that nobody thought of, costs a report and never the service.
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
