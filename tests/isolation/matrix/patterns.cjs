'use strict';

const { AsyncLocalStorage, AsyncResource } = require('node:async_hooks');
const childProcess = require('node:child_process');
const crypto = require('node:crypto');
const diagnostics = require('node:diagnostics_channel');
const dns = require('node:dns');
const { EventEmitter, on, once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const { Readable, Transform, pipeline } = require('node:stream');
const { setTimeout: delay, setImmediate: turn } = require('node:timers/promises');
const { promisify } = require('node:util');
const vm = require('node:vm');
const threads = require('node:worker_threads');
const zlib = require('node:zlib');

/**
 * Ways in which services of Node work asynchronously, each on state that all requests share. A
 * pattern gets `load`, which calls the next service and returns a promise of its answer, and
 * `get`, which does the same with a callback; it returns a promise, or calls `done`.
 */
const patterns = {};

/** A pattern that answers by a callback. */
function called(name, make) {
  patterns[name] = () => {
    const run = make();
    return (work) =>
      new Promise((resolve, reject) => {
        // The answer is written where the pattern calls back, as code with callbacks does it.
        work.done = (error, value) => {
          if (error) reject(error);
          else work.reply(value, resolve);
        };
        run(work);
      });
  };
}

/** A pattern that returns a promise. */
function promised(name, make) {
  patterns[name] = make;
}

// Nothing is shared.
called(
  'callback',
  () =>
    ({ get, done }) =>
      get(done),
);
promised(
  'fetch',
  () =>
    ({ load }) =>
      load(),
);
promised(
  'await',
  () =>
    async ({ load }) =>
      await load(),
);
promised('await of a thousand microtasks', () => async ({ load }) => {
  for (let index = 0; index < 1_000; index++) await undefined;
  return load();
});
promised(
  'Promise.all',
  () =>
    async ({ load }) =>
      (await Promise.all([load(), load()]))[0],
);
promised(
  'Promise.allSettled',
  () => async (work) =>
    (await Promise.allSettled([work.load(), Promise.reject(new Error('no'))]))[0].value,
);
promised(
  'Promise.race with a timeout',
  () =>
    ({ load }) =>
      Promise.race([load(), delay(5_000)]),
);
promised(
  'Promise.any',
  () =>
    ({ load }) =>
      Promise.any([Promise.reject(new Error('no')), load()]),
);
promised(
  'then chain',
  () =>
    ({ load }) =>
      Promise.resolve()
        .then(() => undefined)
        .then(load)
        .then((value) => value),
);
promised('async generator', () => async ({ load }) => {
  async function* all() {
    yield await load();
  }
  for await (const value of all()) return value;
});
promised('coroutine over a generator', () => ({ load }) => {
  const steps = (function* () {
    const value = yield load();
    return value;
  })();
  return steps.next().value.then((value) => steps.next(value).value);
});
promised('two calls in a row', () => async ({ load }) => {
  await load();
  return load();
});
promised('retry at once', () => async ({ load }) => {
  await Promise.reject(new Error('no')).catch(() => undefined);
  return load();
});
promised('AbortController', () => ({ load }) => {
  const { signal } = new AbortController();
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
    load().then(resolve, reject);
  });
});
promised(
  'promisify',
  () =>
    ({ get }) =>
      promisify(get)(),
);
promised('thenable that starts when it is awaited', () => async ({ load }) => ({
  // biome-ignore lint/suspicious/noThenProperty: as query builders have it
  then: (resolve, reject) => load().then(resolve, reject),
}));
promised('subclass of Promise', () => ({ load }) => {
  class Later extends Promise {}
  return Later.resolve().then(load);
});

// Deferred.
called(
  'process.nextTick',
  () =>
    ({ get, done }) =>
      process.nextTick(() => get(done)),
);
called(
  'queueMicrotask',
  () =>
    ({ get, done }) =>
      queueMicrotask(() => get(done)),
);
called(
  'setImmediate',
  () =>
    ({ get, done }) =>
      setImmediate(() => get(done)),
);
called(
  'setImmediate in setImmediate',
  () =>
    ({ get, done }) =>
      setImmediate(() => setImmediate(() => get(done))),
);
called(
  'setTimeout',
  () =>
    ({ get, done }) =>
      setTimeout(() => get(done), 2),
);
promised('await timers/promises', () => async ({ load }) => {
  await delay(2);
  return load();
});
promised('await setImmediate of timers/promises', () => async ({ load }) => {
  await turn();
  return load();
});
promised('await a promise around setTimeout', () => async ({ load }) => {
  await new Promise((resolve) => setTimeout(resolve, 2));
  return load();
});
promised('retry with backoff', () => async ({ load }) => {
  for (let attempt = 1; ; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, attempt));
    if (attempt === 2) return load();
  }
});
called('poll by setInterval', () => ({ get, done }) => {
  let ticks = 0;
  const timer = setInterval(() => {
    if (++ticks < 2) return;
    clearInterval(timer);
    get(done);
  }, 1);
});

// Other work of Node first.
called(
  'fs.readFile',
  () =>
    ({ get, done }) =>
      fs.readFile(__filename, () => get(done)),
);
promised('fs.promises', () => async ({ load }) => {
  await fs.promises.readFile(__filename);
  return load();
});
called(
  'dns.lookup',
  () =>
    ({ get, done }) =>
      dns.lookup('localhost', () => get(done)),
);
called(
  'crypto.randomBytes',
  () =>
    ({ get, done }) =>
      crypto.randomBytes(16, () => get(done)),
);
called(
  'crypto.pbkdf2',
  () =>
    ({ get, done }) =>
      crypto.pbkdf2('a', 'b', 100, 16, 'sha1', () => get(done)),
);
called(
  'zlib.gzip',
  () =>
    ({ get, done }) =>
      zlib.gzip('text', () => get(done)),
);
called(
  'child process',
  () =>
    ({ get, done }) =>
      childProcess.exec('true', () => get(done)),
);
called('stream pipeline', () => ({ get, done }) => {
  const through = new Transform({
    objectMode: true,
    transform: (chunk, _, next) => get((error, value) => next(error, value)),
  });
  pipeline(Readable.from(['one']), through, (error) => error && done(error));
  through.on('data', (value) => done(null, value));
});
promised('for await over a stream', () => async ({ load }) => {
  for await (const _ of Readable.from(['one'])) return load();
});
promised('body of the request', () => async ({ load, request }) => {
  for await (const _ of request);
  return load();
});
called('dynamic import', () => ({ get, done }) => {
  import('node:path').then(() => get(done));
});
called('vm context', () => {
  const box = vm.createContext({ queueMicrotask });
  const run = vm.runInContext('(then) => queueMicrotask(then)', box);
  return ({ get, done }) => run(() => get(done));
});

// Emitters.
called('own emitter', () => ({ get, done }) => {
  const bus = new EventEmitter();
  bus.on('job', () => get(done));
  bus.emit('job');
});
called('shared emitter', () => {
  const bus = new EventEmitter();
  bus.on('job', ({ get, done }) => get(done));
  return (work) => bus.emit('job', work);
});
promised('events.once', () => async ({ load }) => {
  const bus = new EventEmitter();
  setImmediate(() => bus.emit('ready'));
  await once(bus, 'ready');
  return load();
});
called('replies on a shared emitter', () => {
  const bus = new EventEmitter();
  let number = 0;
  return ({ get, done }) => {
    const id = ++number;
    bus.once(`reply ${id}`, (value) => done(null, value));
    get((_, value) => bus.emit(`reply ${id}`, value));
  };
});
called('diagnostics channel', () => {
  const channel = diagnostics.channel('pattern.jobs');
  channel.subscribe(({ get, done }) => get(done));
  return (work) => channel.publish(work);
});
called('EventTarget', () => {
  const target = new EventTarget();
  target.addEventListener('job', ({ work: { get, done } }) => get(done));
  return (work) => target.dispatchEvent(Object.assign(new Event('job'), { work }));
});

// Context of the application itself.
called('AsyncResource.bind', () => {
  const waiting = [];
  return ({ get, done }) => {
    waiting.push(AsyncResource.bind(() => get(done)));
    setImmediate(() => waiting.shift()());
  };
});
promised('AsyncLocalStorage of the service', () => {
  const storage = new AsyncLocalStorage();
  return ({ load }) => storage.run(1, load);
});
called('AsyncLocalStorage.snapshot', () => ({ get, done }) => {
  const restore = AsyncLocalStorage.snapshot();
  setTimeout(() => restore(() => get(done)), 2);
});

// Limits on what runs at once.
for (const most of [1, 3]) {
  called(`semaphore of ${most} with callbacks`, () => {
    const waiting = [];
    let free = most;
    const acquire = (then) => {
      if (free > 0) {
        free--;
        then();
      } else waiting.push(then);
    };
    const release = () => {
      const next = waiting.shift();
      if (next) next();
      else free++;
    };
    return ({ get, done }) =>
      acquire(() =>
        get((error, value) => {
          release();
          done(error, value);
        }),
      );
  });
}
called('semaphore that is released after the answer', () => {
  const waiting = [];
  let isBusy = false;
  const next = () => {
    const then = waiting.shift();
    isBusy = then !== undefined;
    then?.();
  };
  return ({ get, done }) => {
    waiting.push(() =>
      get((error, value) => {
        done(error, value);
        next();
      }),
    );
    if (!isBusy) next();
  };
});
promised('semaphore with promises', () => {
  const waiting = [];
  let free = 2;
  return async ({ load }) => {
    if (free > 0) free--;
    else await new Promise((resolve) => waiting.push(resolve));
    try {
      return await load();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
});
promised('mutex as a chain of promises', () => {
  let tail = Promise.resolve();
  return ({ load }) => {
    const result = tail.then(load);
    tail = result.catch(() => undefined);
    return result;
  };
});
called('lock by name with callbacks', () => {
  const locks = new Map();
  const unlock = (name) => {
    const next = locks.get(name).shift();
    if (next) next();
    else locks.delete(name);
  };
  return ({ get, done }) => {
    const run = () =>
      get((error, value) => {
        unlock('a');
        done(error, value);
      });
    if (locks.has('a')) locks.get('a').push(run);
    else {
      locks.set('a', []);
      run();
    }
  };
});
called('bulkhead', () => {
  const waiting = [];
  let active = 0;
  const pump = () => {
    while (active < 4 && waiting.length > 0) {
      active++;
      waiting.shift()(() => {
        active--;
        pump();
      });
    }
  };
  return ({ get, done }) => {
    waiting.push((free) =>
      get((error, value) => {
        done(error, value);
        free();
      }),
    );
    pump();
  };
});
called('leaky bucket', () => {
  const waiting = [];
  let timer;
  const leak = () => {
    waiting.shift()?.();
    if (waiting.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return ({ get, done }) => {
    waiting.push(() => get(done));
    timer ??= setInterval(leak, 1);
  };
});
called('token bucket', () => {
  const waiting = [];
  let tokens = 2;
  const take = () => {
    if (tokens === 0) return;
    const next = waiting.shift();
    if (!next) return;
    tokens--;
    setTimeout(() => {
      tokens++;
      take();
    }, 3);
    next();
  };
  return ({ get, done }) => {
    waiting.push(() => get(done));
    take();
  };
});

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

// Answers that several requests share.
promised('memoised promise', () => {
  let memo;
  return ({ load }) => {
    memo ??= load().finally(() => setTimeout(() => (memo = undefined), 10));
    return memo;
  };
});
promised('one call in flight', () => {
  let flight;
  return ({ load }) => {
    flight ??= load().finally(() => (flight = undefined));
    return flight;
  };
});
called('one call in flight with callbacks', () => {
  let waiting;
  return ({ get, done }) => {
    if (waiting) return void waiting.push(done);
    waiting = [done];
    get((error, value) => {
      const all = waiting;
      waiting = undefined;
      for (const one of all) one(error, value);
    });
  };
});
promised('cache in a Map', () => {
  const cache = new Map();
  return async ({ load }) => {
    const known = cache.get('a');
    if (known) return known;
    const value = await load();
    cache.set('a', value);
    setTimeout(() => cache.delete('a'), 10);
    return value;
  };
});
promised('stale while it is refreshed', () => {
  let value;
  let refresh;
  return async ({ load }) => {
    refresh ??= load().then((fresh) => {
      value = fresh;
      setTimeout(() => (refresh = undefined), 5);
    });
    if (value === undefined) await refresh;
    return value;
  };
});
promised('lazy setup that all await', () => {
  let ready;
  return async ({ load }) => {
    ready ??= delay(3);
    await ready;
    return load();
  };
});
called('lazy setup with callbacks', () => {
  let state = 'new';
  const waiting = [];
  return ({ get, done }) => {
    const run = () => get(done);
    if (state === 'ready') return run();
    waiting.push(run);
    if (state === 'starting') return undefined;
    state = 'starting';
    return fs.stat(__filename, () => {
      state = 'ready';
      for (const one of waiting.splice(0)) one();
    });
  };
});

// Connections and objects that requests share.
function echoServer() {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => setTimeout(() => socket.write(data), 1));
  });
  server.listen(0, '127.0.0.1').unref();
  return server;
}
/** A driver with one connection, opened by the first request, that answers in order. */
function createDriver(settle) {
  const server = echoServer();
  const waiting = [];
  let socket;
  const open = () => {
    socket = net.connect(server.address().port, '127.0.0.1');
    socket.unref();
    socket.on('error', () => {});
    socket.on('data', (data) => {
      for (const _ of data) settle(waiting.shift());
    });
  };
  return (one) => {
    if (socket === undefined) open();
    waiting.push(one);
    socket.write('.');
  };
}
called('driver with callbacks on one connection', () => {
  const query = createDriver((then) => then());
  return ({ get, done }) => query(() => get(done));
});
promised('driver with promises on one connection', () => {
  const query = createDriver((resolve) => resolve());
  return async ({ load }) => {
    await new Promise((resolve) => query(resolve));
    return load();
  };
});
called('pool with callbacks', () => {
  const free = [{}, {}];
  const waiting = [];
  const release = (one) => {
    const next = waiting.shift();
    if (next) next(one);
    else free.push(one);
  };
  const acquire = (then) => {
    const one = free.pop();
    if (one) then(one);
    else waiting.push(then);
  };
  return ({ get, done }) =>
    acquire((one) =>
      get((error, value) => {
        release(one);
        done(error, value);
      }),
    );
});
promised('pool with promises', () => {
  const free = [{}, {}];
  const waiting = [];
  return async ({ load }) => {
    const one = free.pop() ?? (await new Promise((resolve) => waiting.push(resolve)));
    const value = await load();
    const next = waiting.shift();
    if (next) next(one);
    else free.push(one);
    return value;
  };
});
called('agent with one socket', () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  return ({ get, done }) => get(done, { agent });
});
called('agent without keep-alive', () => {
  const agent = new http.Agent({ keepAlive: false, maxSockets: 2 });
  return ({ get, done }) => get(done, { agent });
});
promised('promise that another request resolves', () => {
  let waiting;
  return async ({ load }) => {
    if (waiting === undefined) {
      const { promise, resolve } = Promise.withResolvers();
      waiting = resolve;
      setTimeout(resolve, 10);
      await promise;
    } else {
      waiting();
      waiting = undefined;
    }
    return load();
  };
});
promised('circuit breaker', () => {
  let failures = 0;
  return async ({ load }) => {
    if (failures > 3) throw new Error('open');
    try {
      return await Promise.race([load(), delay(5_000, undefined, { ref: false })]);
    } catch (error) {
      failures++;
      throw error;
    }
  };
});

// Threads and processes.
const echoThread = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (message) => parentPort.postMessage({ echo: message }));
`;
called('worker thread that answers', () => {
  const worker = new threads.Worker(echoThread, { eval: true });
  worker.unref();
  const waiting = new Map();
  worker.on('message', ({ echo: { id } }) => waiting.get(id)());
  let number = 0;
  return ({ get, done }) => {
    const id = ++number;
    waiting.set(id, () => get(done));
    worker.postMessage({ id });
  };
});
promised('worker thread with promises', () => {
  const worker = new threads.Worker(echoThread, { eval: true });
  worker.unref();
  const waiting = new Map();
  worker.on('message', ({ echo: { id } }) => waiting.get(id)());
  let number = 0;
  return async ({ load }) => {
    const id = ++number;
    await new Promise((resolve) => {
      waiting.set(id, resolve);
      worker.postMessage({ id });
    });
    return load();
  };
});
called('MessageChannel', () => {
  const { port1, port2 } = new MessageChannel();
  const waiting = [];
  port2.on('message', () => {
    const { get, done } = waiting.shift();
    get(done);
  });
  port2.unref();
  return (work) => {
    waiting.push(work);
    port1.postMessage('go');
  };
});
called('BroadcastChannel', () => {
  const one = new BroadcastChannel('pattern');
  const other = new BroadcastChannel('pattern');
  const waiting = [];
  other.onmessage = () => {
    const { get, done } = waiting.shift();
    get(done);
  };
  one.unref();
  other.unref();
  return (work) => {
    waiting.push(work);
    one.postMessage('go');
  };
});
called('forked process', () => {
  const child = childProcess.fork(`${__dirname}/echo.cjs`, {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.unref();
  child.channel.unref();
  const waiting = new Map();
  child.on('message', ({ id }) => waiting.get(id)());
  let number = 0;
  return ({ get, done }) => {
    const id = ++number;
    waiting.set(id, () => get(done));
    child.send({ id });
  };
});

// Answers.
called(
  'writeHead',
  () =>
    ({ get, done, response }) =>
      get((error, value) => {
        response.writeHead(200, { 'x-own': '1' });
        done(error, value);
      }),
);
called(
  'writeHeader',
  () =>
    ({ get, done, response }) =>
      get((error, value) => {
        response.writeHeader(200, { 'x-own': '1' });
        done(error, value);
      }),
);
called(
  'answer that is streamed',
  () =>
    ({ get, done, response }) =>
      get((error, value) => {
        response.write(' ');
        setTimeout(() => done(error, value), 2);
      }),
);
called('answer before the call', () => ({ get, done, response }) => {
  done(null, []);
  response.once('finish', () => get(() => undefined));
});
called('answer before the call, later', () => ({ get, done }) => {
  done(null, []);
  delay(5).then(() => get(() => undefined));
});

module.exports = { patterns };
