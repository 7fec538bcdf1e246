'use strict';

const context = require('./context.cjs');
const { waitBegins, waitEnds } = require('./handled.cjs');

/**
 * Job queues within a program start a job in the context of the previous one. Here each job is
 * bound to the context in which it was queued, as AsyncResource.bind does.
 */

/** The job in its own context. Until it starts, its request waits where nobody confuses it. */
function queued(job) {
  const serving = context.serving();
  if (serving === undefined || typeof job !== 'function') return context.bound(job);
  waitBegins(serving);
  let isStarted = false;
  return context.bound(function (...args) {
    if (!isStarted) waitEnds(serving);
    isStarted = true;
    return Reflect.apply(job, this, args);
  });
}

/** p-limit up to 3. */
function tagLimit(make, module) {
  const tagged = new Proxy(make, {
    apply: (target, self, args) => boundLimit(Reflect.apply(target, self, args)),
  });
  if (make.default === make) make.default = tagged;
  module.exports = tagged;
}

function boundLimit(limit) {
  return new Proxy(limit, {
    apply: (target, self, [job, ...rest]) => Reflect.apply(target, self, [queued(job), ...rest]),
  });
}

/** p-queue up to 6. */
function tagQueue(exported) {
  const { prototype } = exported.default ?? exported;
  const { add } = prototype;
  prototype.add = function (job, ...rest) {
    return Reflect.apply(add, this, [queued(job), ...rest]);
  };
}

/** fastq has one worker function for all tasks, so each task carries its own context. */
function tagFastq(make, module) {
  module.exports = Object.assign(boundFastq(make), make, { promise: boundFastq(make.promise) });
}

function boundFastq(make) {
  return function (...args) {
    const at = typeof args[0] === 'function' ? 0 : 1;
    if (typeof args[at] === 'function') args[at] = openEnvelopes(args[at]);
    return sendEnvelopes(Reflect.apply(make, this, args));
  };
}

function openEnvelopes(worker) {
  return function ({ task, start }, ...rest) {
    return start(() => Reflect.apply(worker, this, [task, ...rest]));
  };
}

/** The application sees its own tasks, without the envelopes. */
function sendEnvelopes(queue) {
  for (const name of ['push', 'unshift']) {
    const direct = queue[name];
    queue[name] = (task, done) =>
      direct({ task, start: queued((run) => run()) }, done && context.bound(done));
  }
  const { getQueue, error } = queue;
  queue.getQueue = () => getQueue().map(({ task }) => task);
  queue.error = (handler) => error(handler && ((problem, { task }) => handler(problem, task)));
  return queue;
}

module.exports = { tagLimit, tagQueue, tagFastq };
