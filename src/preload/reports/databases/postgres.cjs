'use strict';

const { placeOf } = require('./queries.cjs');
const { safely } = require('../safely.cjs');
const { knownStatement } = require('./sql.cjs');

/** The client of `pg`, with or without a pool: every query goes through one method. */
function watchPostgres({ prototype }, queries) {
  const { query } = prototype;
  if (typeof query !== 'function') return;
  const begin = createBegin(queries);
  prototype.query = function (...args) {
    const call = safely(begin, this, args[0]);
    if (call === undefined) return Reflect.apply(query, this, args);
    const watch = watchEnd(call, args, queries);
    try {
      return watch(Reflect.apply(query, this, args));
    } catch (error) {
      queries.end(call, error);
      throw error;
    }
  };
}

function createBegin(queries) {
  const places = new WeakMap();
  const place = (client) => {
    const { host, port, database: namespace } = client;
    if (!places.has(client))
      places.set(client, placeOf({ system: 'postgresql', host, port, namespace }));
    return places.get(client);
  };
  return (client, config) => {
    const text = typeof config === 'string' ? config : (config?.text ?? config?.cursor?.text);
    if (typeof text !== 'string' || !queries.isReported()) return undefined;
    return queries.begin(knownStatement(text), place(client));
  };
}

const asIs = (result) => result;

/** Wraps the callback in `args` if there is one; otherwise the end is known by the result. */
function watchEnd(call, args, queries) {
  const [config] = args;
  if (typeof config.submit === 'function') {
    watchSubmitted(call, config, queries);
    return asIs;
  }
  const at = args.findIndex((one) => typeof one === 'function');
  if (at > 0) args[at] = queries.heard(call, args[at]);
  else if (typeof config.callback === 'function') {
    // A copy, because the application may reuse its object for the next query.
    const value = queries.heard(call, config.callback);
    args[0] = Object.create(config, { callback: { value, writable: true, enumerable: true } });
  } else return (result) => queries.followed(call, result);
  return asIs;
}

/** Cursors, streams and prepared query objects have methods that are called with their outcome. */
function watchSubmitted(call, query, queries) {
  for (const name of ['handleReadyForQuery', 'handleError']) {
    const direct = query[name];
    if (typeof direct !== 'function') continue;
    query[name] = function (...args) {
      queries.end(call, name === 'handleError' ? args[0] : undefined);
      return Reflect.apply(direct, this, args);
    };
  }
}

module.exports = { watchPostgres };
