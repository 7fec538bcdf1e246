'use strict';

const childProcess = require('node:child_process');
const crypto = require('node:crypto');
const diagnostics = require('node:diagnostics_channel');
const dns = require('node:dns');
const fs = require('node:fs');
const vm = require('node:vm');
const zlib = require('node:zlib');
const { AsyncLocalStorage, AsyncResource } = require('node:async_hooks');
const { EventEmitter, once } = require('node:events');
const { Readable, Transform, pipeline } = require('node:stream');
const { promisify } = require('node:util');
const { setTimeout: delay, setImmediate: turn } = require('node:timers/promises');
const { called, promised, patterns } = require('./pattern.cjs')();

/** Requests share nothing, or only what keeps them apart. */

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
    transform: (_, _encoding, next) => get((error, value) => next(error, value)),
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

module.exports = patterns;
