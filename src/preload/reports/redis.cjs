'use strict';

const { placeOf } = require('./queries.cjs');
const { safely } = require('./safely.cjs');
const { currentTrace } = require('./trace.cjs');

const commandForm = /^[a-z][a-z.]{0,31}$/i;
const commands = new Map();

/** Nothing but its name is told: all else are keys and values. */
function commandOf(word) {
  const name = commandForm.test(word) ? word.toUpperCase() : 'COMMAND';
  if (!commands.has(name))
    commands.set(name, { operation: name, summary: name, text: undefined, encoded: new Map() });
  return commands.get(name);
}

/** What a program does by itself, such as waiting for jobs, goes on for ever: requests do not. */
const isOfInterest = (queries) => currentTrace() !== undefined && queries.isReported();

const callSymbol = Symbol('surety.command');

/** ioredis, also its pipelines and clusters: each command is an object with an end. */
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
    // It is sent again when its connection was lost, or is there at last.
    if (command[callSymbol] !== undefined || !isOfInterest(queries)) return;
    const call = queries.begin(commandOf(String(command.name)), placeAt(client));
    if (call === undefined) return;
    command[callSymbol] = call;
    watchSettling(command, call, queries);
  };
  prototype.sendCommand = function (command, ...rest) {
    safely(begin, this, command);
    return Reflect.apply(sendCommand, this, [command, ...rest]);
  };
}

function watchSettling(command, call, queries) {
  const { resolve, reject } = command;
  command.resolve = function (value) {
    queries.end(call);
    return Reflect.apply(resolve, this, [value]);
  };
  command.reject = function (error) {
    queries.end(call, error ?? { name: 'Error', message: 'rejected' });
    return Reflect.apply(reject, this, [error]);
  };
}

/** The client that puts commands into its queue just now: the queue does not know where it is. */
let speaking;

/** Ways by which clients of node-redis, in all its versions, come to their queue. */
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

function placeOfClient(client) {
  const { url, socket } = client?.options ?? {};
  const from = socket?.host === undefined && url ? new URL(url) : undefined;
  const host = socket?.path ?? socket?.host ?? from?.hostname;
  return placeOf({ system: 'redis', host, port: socket?.port ?? (from?.port || 6379) });
}

module.exports = { watchIoredis, watchNodeRedis, watchNodeRedisQueue };
