'use strict';

/** Packages that limit, queue, batch, pool or cache what a program does. */

const promises = (load, name) => load(name).default ?? load(name);

/** One function for all that the module was given: the work of a request. */
const limitOf = (name, make) => (load) => {
  const limit = make(promises(load, name));
  return ({ load: next }) => limit(next);
};

const queues = {
  'p-limit 3': { install: ['b', 'p-limit@3.1.0'], make: limitOf('p-limit', (make) => make(2)) },
  'p-limit 4': { install: ['c', 'p-limit@4.0.0'], make: limitOf('p-limit', (make) => make(2)) },
  'p-limit 7': { install: ['a', 'p-limit@7.2.0'], make: limitOf('p-limit', (make) => make(2)) },
  'p-queue 6': { install: ['b', 'p-queue@6.6.2'], make: queueOf },
  'p-queue 7': { install: ['c', 'p-queue@7.4.1'], make: queueOf },
  'p-queue 9': { install: ['a', 'p-queue@9.0.1'], make: queueOf },
  'p-map': {
    install: ['a', 'p-map@7.0.3'],
    make: (load) => {
      const map = promises(load, 'p-map');
      return async ({ load: next }) => (await map([1, 2], next, { concurrency: 1 }))[0];
    },
  },
  'p-throttle': {
    install: ['a', 'p-throttle@8.1.0'],
    make: (load) => {
      const throttle = promises(load, 'p-throttle')({ limit: 4, interval: 5 });
      const run = throttle((next) => next());
      return ({ load: next }) => run(next);
    },
  },
  'p-retry': {
    install: ['a', 'p-retry@7.1.0'],
    make: (load) => {
      const retry = promises(load, 'p-retry');
      return ({ load: next }) => {
        const once = async (attempt) => {
          if (attempt === 1) throw new Error('no');
          return next();
        };
        return retry(once, { minTimeout: 1 });
      };
    },
  },
  'p-memoize': {
    install: ['a', 'p-memoize@8.0.0'],
    make: (load) => {
      const run = promises(load, 'p-memoize')((_, next) => next(), { cache: false });
      return ({ load: next }) => run('a', next);
    },
  },
  'p-debounce': {
    install: ['a', 'p-debounce@5.1.0'],
    make: (load) => {
      const run = promises(load, 'p-debounce')((next) => next(), 3);
      return ({ load: next }) => run(next);
    },
  },
  'p-timeout': {
    install: ['a', 'p-timeout@7.0.1'],
    make: (load) => {
      const timeout = promises(load, 'p-timeout');
      return ({ load: next }) => timeout(next(), { milliseconds: 5_000 });
    },
  },
  bottleneck: {
    install: ['a', 'bottleneck@2.19.5'],
    make: (load) => {
      const limiter = new (promises(load, 'bottleneck'))({ maxConcurrent: 2 });
      return ({ load: next }) => limiter.schedule(next);
    },
  },
  'async.queue': { install: ['a', 'async@3.2.6'], make: asyncQueue },
  'async.queue 2': { install: ['b', 'async@2.6.4'], make: asyncQueue },
  'async.cargo': {
    install: ['a', 'async@3.2.6'],
    make: (load) => {
      const cargo = load('async').cargo((jobs, done) => {
        jobs[0].get((error, value) => {
          for (const job of jobs) job.value = value;
          done(error);
        });
      }, 4);
      return (work) =>
        new Promise((resolve, reject) => {
          cargo.push(work, (error) => (error ? reject(error) : resolve(work.value)));
        });
    },
  },
  'neo-async': {
    install: ['a', 'neo-async@2.6.2'],
    make: (load) => {
      const queue = load('neo-async').queue(({ get }, done) => get(done), 2);
      return (work) =>
        new Promise((resolve, reject) => {
          queue.push(work, (error, value) => (error ? reject(error) : resolve(value)));
        });
    },
  },
  fastq: {
    install: ['a', 'fastq@1.19.1'],
    make: (load) => {
      const queue = load('fastq').promise((next) => next(), 2);
      return ({ load: next }) => queue.push(next);
    },
  },
  'generic-pool': {
    install: ['a', 'generic-pool@3.9.0'],
    make: (load) => {
      const factory = { create: async () => ({}), destroy: async () => undefined };
      const pool = load('generic-pool').createPool(factory, { max: 2 });
      return ({ load: next }) => pool.use(next);
    },
  },
  tarn: {
    install: ['a', 'tarn@3.0.2'],
    make: (load) => {
      const pool = new (load('tarn').Pool)({
        create: () => ({}),
        destroy: () => undefined,
        min: 0,
        max: 2,
      });
      return async ({ load: next }) => {
        const one = await pool.acquire().promise;
        try {
          return await next();
        } finally {
          pool.release(one);
        }
      };
    },
  },
  dataloader: {
    install: ['a', 'dataloader@2.2.3'],
    make: (load) => {
      const DataLoader = promises(load, 'dataloader');
      const batch = async (all) => {
        const value = await all[0]();
        return all.map(() => value);
      };
      const loader = new DataLoader(batch, { cache: false });
      return ({ load: next }) => loader.load(next);
    },
  },
  'lru-cache': {
    install: ['a', 'lru-cache@11.1.0'],
    make: (load) => {
      const { LRUCache } = load('lru-cache');
      const fetchMethod = (_, __, { context }) => context();
      const cache = new LRUCache({ max: 10, ttl: 10, fetchMethod });
      return ({ load: next }) => cache.fetch('a', { context: next });
    },
  },
  'node-cache': {
    install: ['a', 'node-cache@5.1.2'],
    make: (load) => {
      const cache = new (load('node-cache'))({ stdTTL: 1, checkperiod: 0 });
      return keptIn({
        get: (name) => cache.get(name),
        set: (name, value) => cache.set(name, value),
      });
    },
  },
  'quick-lru': {
    install: ['a', 'quick-lru@7.1.0'],
    make: (load) => keptIn(new (promises(load, 'quick-lru'))({ maxSize: 10, maxAge: 20 })),
  },
  keyv: {
    install: ['a', 'keyv@5.5.0'],
    make: (load) => {
      const Keyv = load('keyv').default;
      return keptIn(new Keyv({ ttl: 20 }));
    },
  },
  memoizee: {
    install: ['a', 'memoizee@0.4.17'],
    make: (load) => {
      const options = { promise: true, maxAge: 10, normalizer: () => 'a' };
      const run = load('memoizee')((next) => next(), options);
      return ({ load: next }) => run(next);
    },
  },
  'lodash.memoize': {
    install: ['a', 'lodash@4.17.21'],
    make: (load) => {
      const run = load('lodash').memoize(
        (next) => next().finally(() => setTimeout(() => run.cache.clear(), 10)),
        () => 'a',
      );
      return ({ load: next }) => run(next);
    },
  },
  'lodash.debounce': {
    install: ['a', 'lodash@4.17.21'],
    make: (load) => {
      const waiting = [];
      const flush = load('lodash').debounce(() => {
        for (const { get, resolve } of waiting.splice(0)) get((_, value) => resolve(value));
      }, 3);
      return ({ get }) =>
        new Promise((resolve) => {
          waiting.push({ get, resolve });
          flush();
        });
    },
  },
  opossum: {
    install: ['a', 'opossum@9.0.0'],
    make: (load) => {
      const breaker = new (load('opossum'))((next) => next(), { timeout: 5_000 });
      return ({ load: next }) => breaker.fire(next);
    },
  },
  'async-mutex': {
    install: ['a', 'async-mutex@0.5.0'],
    make: (load) => {
      const mutex = new (load('async-mutex').Mutex)();
      return ({ load: next }) => mutex.runExclusive(next);
    },
  },
  'async-lock': {
    install: ['a', 'async-lock@1.4.1'],
    make: (load) => {
      const lock = new (load('async-lock'))();
      return ({ load: next }) => lock.acquire('a', next);
    },
  },
  'async-sema': {
    install: ['a', 'async-sema@3.1.1'],
    make: (load) => {
      const sema = new (load('async-sema').Sema)(2);
      return async ({ load: next }) => {
        await sema.acquire();
        try {
          return await next();
        } finally {
          sema.release();
        }
      };
    },
  },
  queue: {
    install: ['a', 'queue@7.0.0'],
    make: (load) => {
      const queue = new (load('queue').default)({ concurrency: 2, autostart: true, results: [] });
      return ({ load: next }) =>
        new Promise((resolve, reject) => {
          queue.push(() => next().then(resolve, reject));
        });
    },
  },
  'better-queue': {
    install: ['a', 'better-queue@3.8.12'],
    make: (load) => {
      const jobs = new Map();
      const run = ({ id }, done) => jobs.get(id)(done);
      const queue = new (load('better-queue'))(run, { concurrent: 2 });
      let number = 0;
      return ({ get }) =>
        new Promise((resolve, reject) => {
          const id = String(++number);
          jobs.set(id, get);
          queue.push({ id }, (error, value) => (error ? reject(error) : resolve(value)));
        });
    },
  },
  'promise-limit': {
    install: ['a', 'promise-limit@2.7.0'],
    make: limitOf('promise-limit', (make) => make(2)),
  },
  throat: { install: ['a', 'throat@6.0.2'], make: limitOf('throat', (make) => make(2)) },
  'promise-pool': {
    install: ['a', '@supercharge/promise-pool@3.2.0'],
    make: (load) => {
      const { PromisePool } = load('@supercharge/promise-pool');
      return async ({ load: next }) => {
        const { results } = await PromisePool.for([1, 2]).withConcurrency(1).process(next);
        return results[0];
      };
    },
  },
  limiter: {
    install: ['a', 'limiter@3.0.0'],
    make: (load) => {
      const limiter = new (load('limiter').RateLimiter)({ tokensPerInterval: 4, interval: 5 });
      return async ({ load: next }) => {
        await limiter.removeTokens(1);
        return next();
      };
    },
  },
  rxjs: {
    install: ['a', 'rxjs@7.8.2'],
    make: (load) => {
      const { Subject, mergeMap } = load('rxjs');
      const jobs = new Subject();
      jobs
        .pipe(mergeMap(({ next, resolve, reject }) => next().then(resolve, reject), 2))
        .subscribe();
      return ({ load: next }) =>
        new Promise((resolve, reject) => jobs.next({ next, resolve, reject }));
    },
  },
  emittery: {
    install: ['a', 'emittery@1.2.0'],
    make: (load) => {
      const bus = new (promises(load, 'emittery'))();
      // Version 1.2 wraps what is emitted.
      bus.on('job', (event) => {
        const { next, resolve, reject } = event.data ?? event;
        next().then(resolve, reject);
      });
      return ({ load: next }) =>
        new Promise((resolve, reject) => bus.emit('job', { next, resolve, reject }));
    },
  },
  bluebird: {
    install: ['a', 'bluebird@3.7.2'],
    make: (load) => {
      const Bluebird = load('bluebird');
      return ({ load: next }) => Bluebird.delay(2).then(next);
    },
  },
  q: {
    install: ['a', 'q@1.5.1'],
    make: (load) => {
      const Q = load('q');
      return ({ load: next }) => Q.delay(2).then(next);
    },
  },
  co: {
    install: ['a', 'co@4.6.0'],
    make: (load) => {
      const co = load('co');
      return ({ load: next }) =>
        co(function* () {
          return yield next();
        });
    },
  },
};

function queueOf(load) {
  const queue = new (promises(load, 'p-queue'))({ concurrency: 2 });
  return ({ load: next }) => queue.add(next);
}

function asyncQueue(load) {
  const queue = load('async').queue(({ get }, done) => get(done), 2);
  return (work) =>
    new Promise((resolve, reject) => {
      queue.push(work, (error, value) => (error ? reject(error) : resolve(value)));
    });
}

/** Asks a cache first. */
function keptIn(cache) {
  return async ({ load: next }) => {
    const known = await cache.get('a');
    if (known !== undefined) return known;
    const value = await next();
    await cache.set('a', value);
    return value;
  };
}

module.exports = queues;
