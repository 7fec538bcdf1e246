'use strict';

const { createHook } = require('node:async_hooks');
const { nowMs, waitBegins, waitEnds, watching } = require('./handled.cjs');
const { requests } = require('./storages.cjs');

/** Work of Node itself that ends by itself: files, names, hashes, compression. */
const types = /^(?:FSREQ|FILEHANDLECLOSEREQ|GETADDRINFO|GETNAMEINFO|QUERYWRAP|ZLIB|\w+REQUEST$)/;
const others = /^(?:HTTP|TCP|PIPE|UDP)/;

const known = new Map();
const isWork = (type) => {
  const found = known.get(type);
  if (found !== undefined) return found;
  const isOne = types.test(type) && !others.test(type);
  known.set(type, isOne);
  return isOne;
};

/** By the number of the work: the request that waits for it. */
const owners = new Map();

const hook = createHook({
  init(id, type) {
    if (!isWork(type)) return;
    const owner = requests.getStore()?.request;
    if (owner === undefined) return;
    owners.set(id, owner);
    waitBegins(owner);
  },
  before(id) {
    const owner = owners.get(id);
    if (owner === undefined) return;
    owners.delete(id);
    waitEnds(owner);
  },
  // They are no such work, and most of what programs make. Older versions of Node ignore this.
  trackPromises: false,
});

/** While lanes are in use here, and a little longer. */
const watchMs = 10_000;
let untilMs = Number.NEGATIVE_INFINITY;

/** A keyed request came. From now on it matters what others wait for. */
function watchWork() {
  untilMs = nowMs() + watchMs;
  if (watching.isOn) return;
  watching.isOn = true;
  hook.enable();
}

/** Called with each request that has no key. */
function stopWatchingInTime() {
  if (watching.isOn && nowMs() >= untilMs) rest();
}

function rest() {
  watching.isOn = false;
  hook.disable();
  for (const owner of owners.values()) waitEnds(owner);
  owners.clear();
}

module.exports = { watchWork, stopWatchingInTime };
