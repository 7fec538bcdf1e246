'use strict';

const childProcess = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const threads = require('node:worker_threads');
const { setTimeout: delay } = require('node:timers/promises');
const { called, promised, patterns } = require('./pattern.cjs')();

/** Answers, connections, threads and processes that requests share. */

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
  const child = childProcess.fork(`${__dirname}/../echo.cjs`, {
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

module.exports = patterns;
