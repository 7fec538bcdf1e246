'use strict';

/**
 * CPU time that all probes of a process may use: a bucket that fills with a share of the time. A
 * probe that empties it becomes hot: it is armed for one short window after the other, so that
 * hits in between cost nothing.
 */
function createBudget({ now, limits }) {
  let leftUs = limits.bucketUs;
  let filledAt = now();

  function refill() {
    const at = now();
    leftUs = Math.min(limits.bucketUs, leftUs + (at - filledAt) * limits.cpuShare);
    filledAt = at;
  }

  function spend(us) {
    refill();
    leftUs -= us;
    return leftUs > 0;
  }

  const has = (us) => {
    refill();
    return leftUs >= us;
  };

  return { spend, has };
}

/** How often a line is reached: counted while it is armed, estimated for the time in between. */
function createCoverage({ now }) {
  let evaluated = 0;
  let armedUs = 0;
  let disarmedUs = 0;
  let since = now();
  let isArmed = false;

  function turn(next) {
    const at = now();
    if (isArmed) armedUs += at - since;
    else disarmedUs += at - since;
    since = at;
    isArmed = next;
  }

  return {
    armed: () => turn(true),
    disarmed: () => turn(false),
    evaluate: () => {
      evaluated++;
    },
    armedForUs: () => (isArmed ? now() - since : 0),
    read() {
      turn(isArmed);
      const perUs = armedUs > 0 ? evaluated / armedUs : 0;
      return {
        evaluated,
        estimatedHits: Math.round(evaluated + disarmedUs * perUs),
        perSecond: Math.round(perUs * 1e6),
      };
    },
  };
}

module.exports = { createBudget, createCoverage };
