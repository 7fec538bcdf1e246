'use strict';

const { EventEmitter, on } = require('node:events');
const { setTimeout: delay } = require('node:timers/promises');
const { called, promised, patterns } = require('./pattern.cjs')();

/** Queues of jobs, and batches that are one call for several requests. */

// Queues of jobs.
called('queue of callbacks', () => {
  const jobs = [];
  let isBusy = false;
  const next = () => {
    const job = jobs.shift();
    isBusy = job !== undefined;
    job?.get((error, value) => {
      job.done(error, value);
      next();
    });
  };
  return (work) => {
    jobs.push(work);
    if (!isBusy) next();
  };
});
const loopOf = (workers) => () => {
  const jobs = [];
  let active = 0;
  const run = async () => {
    active++;
    while (jobs.length > 0) {
      const { load, resolve, reject } = jobs.shift();
      await load().then(resolve, reject);
    }
    active--;
  };
  return ({ load }) =>
    new Promise((resolve, reject) => {
      jobs.push({ load, resolve, reject });
      if (active < workers) run();
    });
};
promised('loop over a queue', loopOf(1));
promised('three loops over a queue', loopOf(3));
promised('queue of functions and resolvers', () => {
  const jobs = [];
  let active = 0;
  const next = () => {
    active--;
    jobs.shift()?.();
  };
  const run = (load, resolve) => {
    active++;
    const result = load();
    resolve(result);
    result.then(next, next);
  };
  return ({ load }) =>
    new Promise((resolve) => {
      if (active < 2) run(load, resolve);
      else jobs.push(() => run(load, resolve));
    });
});
promised('two jobs of a request in a queue', () => {
  const enqueue = loopOf(2)();
  return async (work) => (await Promise.all([enqueue(work), enqueue(work)]))[1];
});
promised('priority queue', () => {
  const jobs = [];
  let isBusy = false;
  const next = () => {
    jobs.sort((one, other) => one.rank - other.rank);
    const job = jobs.shift();
    isBusy = job !== undefined;
    job?.run().finally(next);
  };
  let number = 0;
  return ({ load }) =>
    new Promise((resolve, reject) => {
      const run = () => load().then(resolve, reject);
      jobs.push({ rank: ++number % 3, run });
      if (!isBusy) next();
    });
});
promised('consumer of an async iterator', () => {
  const bus = new EventEmitter();
  const consume = async () => {
    for await (const [{ load, resolve }] of on(bus, 'job')) resolve(await load());
  };
  consume();
  return ({ load }) => new Promise((resolve) => bus.emit('job', { load, resolve }));
});
called('queue that setImmediate drains', () => {
  const jobs = [];
  let isScheduled = false;
  const drain = () => {
    isScheduled = false;
    for (const { get, done } of jobs.splice(0)) get(done);
  };
  return (work) => {
    jobs.push(work);
    if (!isScheduled) setImmediate(drain);
    isScheduled = true;
  };
});
called('queue that setInterval drains', () => {
  const jobs = [];
  setInterval(() => {
    for (const { get, done } of jobs.splice(0)) get(done);
  }, 2).unref();
  return (work) => jobs.push(work);
});
called('queue that the next request drains', () => {
  const jobs = [];
  return (work) => {
    const waiting = jobs.splice(0);
    setTimeout(() => {
      const index = jobs.indexOf(work);
      if (index < 0) return;
      jobs.splice(index, 1);
      work.get(work.done);
    }, 4);
    jobs.push(work);
    for (const { get, done } of waiting) get(done);
  };
});

// Batches: one call for several requests.
const batchOf = (schedule) => () => {
  let batch;
  const send = () => {
    const all = batch;
    batch = undefined;
    all[0].get((error, value) => {
      for (const { done } of all) done(error, value);
    });
  };
  return (work) => {
    if (batch !== undefined) return void batch.push(work);
    batch = [work];
    schedule(send);
  };
};
called(
  'batch by setTimeout',
  batchOf((send) => setTimeout(send, 3)),
);
called(
  'batch by setImmediate',
  batchOf((send) => setImmediate(send)),
);
called(
  'batch by nextTick',
  batchOf((send) => process.nextTick(send)),
);
called(
  'batch by queueMicrotask',
  batchOf((send) => queueMicrotask(send)),
);
called(
  'batch by an awaited timer',
  batchOf((send) => delay(3).then(send)),
);
called('batch when it is full', () => {
  const batch = [];
  const send = () => {
    const all = batch.splice(0);
    all.at(-1)?.get((error, value) => {
      for (const { done } of all) done(error, value);
    });
  };
  return (work) => {
    batch.push(work);
    if (batch.length >= 4) send();
    else setTimeout(send, 20);
  };
});
called('batch when the previous one is over', () => {
  let waiting = [];
  let isBusy = false;
  const send = () => {
    const all = waiting;
    waiting = [];
    isBusy = all.length > 0;
    all[0]?.get((error, value) => {
      for (const { done } of all) done(error, value);
      send();
    });
  };
  return (work) => {
    waiting.push(work);
    if (!isBusy) send();
  };
});
called('debounce', () => {
  let timer;
  let all = [];
  return (work) => {
    all.push(work);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const waiting = all;
      all = [];
      waiting.at(-1).get((error, value) => {
        for (const { done } of waiting) done(error, value);
      });
    }, 3);
  };
});

module.exports = patterns;
