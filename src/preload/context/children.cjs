'use strict';

const childProcess = require('node:child_process');
const { childEnvironment } = require('./child-environment.cjs');
const context = require('./context.cjs');
const { unwrap, wrap, keyMsMax } = require('./handed-over.cjs');

/** The key of the request for whose sake a program is run. */
const callerVariable = 'SURETY_CALLER';

/** Child processes are tagged like their parents, also where an application gives them little. */
function tagChildren() {
  resumeCaller();
  tagSpawn();
  tagSpawnSync();
  tagFork();
  if (process.send) tagChannel(process);
}

/** Every asynchronous way to start a process ends in this method. */
function tagSpawn() {
  const { prototype } = childProcess.ChildProcess;
  const { spawn } = prototype;
  prototype.spawn = function (options) {
    const environment = readPairs(options.envPairs);
    const added = { ...childEnvironment(environment), ...callerOfChild(options) };
    const whole = Object.entries({ ...environment, ...added });
    const envPairs = whole.map(([name, value]) => `${name}=${value}`);
    // It calls back for as long as it lives, and in a pool that is for others.
    return context.outside(() => Reflect.apply(spawn, this, [{ ...options, envPairs }]));
  };
}

/** Nothing else runs meanwhile that could see the variable in our own environment. */
function tagSpawnSync() {
  for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
    const direct = childProcess[name];
    childProcess[name] = function (...args) {
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
    };
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

/** A process that one can talk to is told with each message; any other is run for one purpose. */
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

/** Only what is forked is surely Node and has this file in it: it can open envelopes. */
function tagFork() {
  const { fork } = childProcess;
  childProcess.fork = function (...args) {
    const child = Reflect.apply(fork, this, args);
    tagChannel(child);
    return child;
  };
}

function tagChannel(end) {
  const { send, emit } = end;
  end.send = function (message, ...rest) {
    return Reflect.apply(send, this, [isOfNode(message) ? message : wrap(message), ...rest]);
  };
  end.emit = function (event, value, ...rest) {
    if (event !== 'message') return Reflect.apply(emit, this, [event, value, ...rest]);
    const { message, hear } = unwrap(value);
    return hear(() => Reflect.apply(emit, this, [event, message, ...rest]));
  };
}

/** Clusters and others of Node's own talk to each other by the same channel. */
function isOfNode(message) {
  return typeof message?.cmd === 'string' && message.cmd.startsWith('NODE_');
}

module.exports = { tagChildren };
