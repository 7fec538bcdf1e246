'use strict';

const childProcess = require('node:child_process');
const { childEnvironment } = require('./child-environment.cjs');
const context = require('./context.cjs');
const { awaitPeer, Exchanges } = require('./handled.cjs');
const { unwrap, wrap, keyMsMax } = require('./handed-over.cjs');
const { replace } = require('../replace.cjs');

/** The key of the request that a program is started for. */
const callerVariable = 'SURETY_CALLER';

/** Tags child processes like their parents, even if the application gives them few variables. */
function tagChildren() {
  resumeCaller();
  tagSpawn();
  tagSpawnSync();
  tagFork();
  if (process.send) tagChannel(process);
}

/** Every asynchronous way to start a process ends in this method. */
function tagSpawn() {
  replace(
    childProcess.ChildProcess.prototype,
    'spawn',
    (spawn) =>
      function (options) {
        const environment = readPairs(options.envPairs);
        const added = { ...childEnvironment(environment), ...callerOfChild(options) };
        const whole = Object.entries({ ...environment, ...added });
        const envPairs = whole.map(([name, value]) => `${name}=${value}`);
        // The process calls back as long as it lives; in a pool it then works for other requests.
        const serving = context.serving();
        if (serving !== undefined) awaitPeer(serving, this, endOf);
        return context.outside(() => Reflect.apply(spawn, this, [{ ...options, envPairs }]));
      },
  );
}

/** Changes when the process ends. */
const endOf = ({ exitCode, signalCode }) => (exitCode === null && signalCode === null ? 1 : -1);

/** Synchronous: no other code runs meanwhile that could see the variable in our own environment. */
function tagSpawnSync() {
  for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
    replace(
      childProcess,
      name,
      (direct) =>
        function (...args) {
          const caller = context.current();
          if (caller === undefined) return Reflect.apply(direct, this, args);
          const own = { [callerVariable]: caller.key };
          Object.assign(process.env, own);
          try {
            return Reflect.apply(
              direct,
              this,
              args.map((arg) => withVariables(arg, own)),
            );
          } finally {
            delete process.env[callerVariable];
          }
        },
    );
  }
}

function withVariables(arg, own) {
  if (!arg?.env || Array.isArray(arg)) return arg;
  return { ...arg, env: { ...arg.env, ...childEnvironment(arg.env), ...own } };
}

function readPairs(pairs = []) {
  const split = pairs.map((pair) => [
    pair.slice(0, pair.indexOf('=')),
    pair.slice(pair.indexOf('=') + 1),
  ]);
  return Object.fromEntries(split);
}

/**
 * A process with a channel gets a key with each message; any other process is started for one
 * request.
 */
function callerOfChild({ stdio }) {
  const caller = context.current();
  const isSpokenTo = Array.isArray(stdio) && stdio.includes('ipc');
  return caller === undefined || isSpokenTo ? {} : { [callerVariable]: caller.key };
}

function resumeCaller() {
  const { [callerVariable]: key } = process.env;
  if (!key) return;
  delete process.env[callerVariable];
  const served = context.open(key);
  context.close(served, keyMsMax);
  context.enter(served);
}

/** Only a forked process is certain to be Node with this preload, which can open envelopes. */
function tagFork() {
  replace(
    childProcess,
    'fork',
    (fork) =>
      function (...args) {
        const child = Reflect.apply(fork, this, args);
        tagChannel(child);
        return child;
      },
  );
}

function tagChannel(end) {
  const exchanges = new Exchanges();
  replace(
    end,
    'send',
    (send) =>
      function (...args) {
        const [message] = args;
        if (args.length > 0 && !isOfNode(message)) {
          args[0] = wrap(message);
          exchanges.ask();
        }
        return Reflect.apply(send, this, args);
      },
  );
  replace(
    end,
    'emit',
    (emit) =>
      function (event, value, ...rest) {
        if (event !== 'message') return Reflect.apply(emit, this, [event, value, ...rest]);
        exchanges.answered++;
        const { message, hear } = unwrap(value);
        return hear(() => Reflect.apply(emit, this, [event, message, ...rest]));
      },
  );
}

/** Node's own messages, such as those of clusters, use the same channel. */
function isOfNode(message) {
  return typeof message?.cmd === 'string' && message.cmd.startsWith('NODE_');
}

module.exports = { tagChildren };
