'use strict';

/** Numbers as a distribution whose buckets grow by a quarter of an octave: within 10 %. */
function createDistribution() {
  let [count, sum, min, max] = [0, 0, Infinity, -Infinity];
  const buckets = new Map();

  function add(value) {
    count++;
    sum += value;
    min = Math.min(min, value);
    max = Math.max(max, value);
    const key = bucketOf(value);
    buckets.set(key, (buckets.get(key) ?? 0) + 1);
  }

  function quantile(share) {
    const rank = share * (count - 1);
    let before = 0;
    for (const key of [...buckets.keys()].sort((a, b) => a - b)) {
      before += buckets.get(key);
      if (before > rank) return Math.min(max, Math.max(min, middleOf(key)));
    }
    return max;
  }

  const read = () =>
    count === 0
      ? { count }
      : { count, sum, min, max, p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99) };
  return { add, read };
}

const perOctave = 4;
/** Keys of negative numbers are below those of positive ones; zero is between them. */
const offset = 10_000;

function bucketOf(value) {
  if (value === 0) return 0;
  const key = offset + Math.floor(Math.log2(Math.abs(value)) * perOctave);
  return value > 0 ? key : -key;
}

function middleOf(key) {
  if (key === 0) return 0;
  const size = 2 ** ((Math.abs(key) - offset + 0.5) / perOctave);
  return key > 0 ? size : -size;
}

/** How often each of a few names was seen. */
function createTally(namesMax) {
  const counts = new Map();
  return {
    add(name) {
      const known = counts.has(name) || counts.size < namesMax ? name : '[others]';
      counts.set(known, (counts.get(known) ?? 0) + 1);
    },
    read: () => Object.fromEntries(counts),
  };
}

module.exports = { createDistribution, createTally };
