'use strict';

const { placeOf } = require('./queries.cjs');
const { safely } = require('../safely.cjs');
const { currentTrace } = require('../trace.cjs');

const commandForm = /^[a-z][a-z.]{0,31}$/i;
const commands = new Map();

/** Only the name of a command is reported: everything else is keys and values. */
function commandOf(word) {
  const name = commandForm.test(word) ? word.toUpperCase() : 'COMMAND';
  if (!commands.has(name))
    commands.set(name, { operation: name, summary: name, text: undefined, encoded: new Map() });
  return commands.get(name);
}

/**
 * Commands outside of requests, such as waiting for jobs, may never end, so they are not reported.
 */
const isOfInterest = (queries) => currentTrace() !== undefined && queries.isReported();

const callSymbol = Symbol('surety.command');
const watchedSymbol = Symbol('surety.watched');

/** ioredis, including its pipelines and clusters: each command is an object with a promise. */
function watchIoredis({ default: { prototype } }, queries) {
  const { sendCommand } = prototype;
  if (typeof sendCommand !== 'function') return;
  const places = new WeakMap();
  const placeAt = (client) => {
    const { host, port, path } = client.options ?? {};
    if (!places.has(client))
      places.set(client, placeOf({ system: 'redis', host: path ?? host, port: path ? 0 : port }));
    return places.get(client);
  };
  const begin = (client, command) => {
    // A command is sent again after its connection was lost or established late.
    if (command[callSymbol] !== undefined || !isOfInterest(queries)) return;
    const call = queries.begin(commandOf(String(command.name)), placeAt(client));
    if (call === undefined) return;
    command[callSymbol] = call;
    if (!command[watchedSymbol]) watchSettling(command, queries);
  };
  prototype.sendCommand = function (command, ...rest) {
    safely(begin, this, command);
    return Reflect.apply(sendCommand, this, [command, ...rest]);
  };
}

/**
 * A cluster resends a command that was moved or whose node is gone. It wraps the end of the command
 * itself, so a watcher that was there before sees only the final outcome.
 */
function watchIoredisCluster({ default: { prototype } }, queries) {
  const { sendCommand } = prototype;
  if (typeof sendCommand !== 'function') return;
  const watch = (command) => {
    if (!command[watchedSymbol] && isOfInterest(queries)) watchSettling(command, queries);
  };
  prototype.sendCommand = function (command, stream, node) {
    // A pipeline chooses its node and resends its commands itself.
    if (!node) safely(watch, command);
    return Reflect.apply(sendCommand, this, [command, stream, node]);
  };
}

function watchSettling(command, queries) {
  const { resolve, reject } = command;
  const end = (error) => {
    const call = command[callSymbol];
    if (call !== undefined) queries.end(call, error);
  };
  command[watchedSymbol] = true;
  command.resolve = function (value) {
    end();
    return Reflect.apply(resolve, this, [value]);
  };
  command.reject = function (error) {
    end(error ?? { name: 'Error', message: 'rejected' });
    return Reflect.apply(reject, this, [error]);
  };
}

/** The client that is adding commands to its queue, because the queue does not know its address. */
let speaking;

/** Methods through which clients of node-redis, in all versions, reach their queue. */
const ways = ['sendCommand', 'commandsExecutor', 'multiExecutor', '_executeMulti'];

function watchNodeRedis({ default: { prototype } }) {
  for (const way of [...ways, '_executePipeline']) {
    const direct = prototype[way];
    if (typeof direct !== 'function') continue;
    prototype[way] = function (...args) {
      const before = speaking;
      speaking = this;
      try {
        return Reflect.apply(direct, this, args);
      } finally {
        speaking = before;
      }
    };
  }
}

function watchNodeRedisQueue({ default: { prototype } }, queries) {
  const { addCommand } = prototype;
  if (typeof addCommand !== 'function') return;
  const begin = (words) =>
    isOfInterest(queries)
      ? queries.begin(commandOf(String(words[0])), placeOfClient(speaking))
      : undefined;
  prototype.addCommand = function (words, ...rest) {
    const call = safely(begin, words);
    const added = Reflect.apply(addCommand, this, [words, ...rest]);
    return call === undefined ? added : queries.followed(call, added);
  };
}

/** Some ways of version 4 to the queue cannot be observed. */
const nowhere = { system: 'redis', key: 'redis' };

function placeOfClient(client) {
  if (client === undefined) return nowhere;
  const { url, socket } = client.options ?? {};
  const from = socket?.host === undefined && url ? new URL(url) : undefined;
  const host = socket?.path ?? socket?.host ?? from?.hostname;
  return placeOf({ system: 'redis', host, port: socket?.port ?? (from?.port || 6379) });
}

module.exports = { watchIoredis, watchIoredisCluster, watchNodeRedis, watchNodeRedisQueue };
