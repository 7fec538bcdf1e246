'use strict';

const { called, promised, patterns } = require('./pattern.cjs')();

/** Limits on what runs at once. */

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

module.exports = patterns;
