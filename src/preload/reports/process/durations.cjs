'use strict';

/** How often something happened and how long it took in total: a histogram without buckets. */
class Durations {
  unit = 's';
  count = 0;
  value = 0;

  constructor(name, labels = {}) {
    this.name = name;
    this.labels = labels;
  }

  add(durationMs) {
    this.count++;
    this.value += durationMs / 1_000;
  }
}

module.exports = { Durations };
