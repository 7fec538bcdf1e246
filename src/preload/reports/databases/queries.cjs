'use strict';

const { beginCall } = require('../calls/calls.cjs');
const { attributes } = require('../otlp/field.cjs');
const { safely } = require('../safely.cjs');
const { encodeCommon } = require('../otlp/spans.cjs');
const { run } = require('../trace.cjs');

/** One request may ask for more than anybody reads: the rest is counted with it, and not told. */
const toldPerRequestMax = 1_000;

/** Queries and commands to databases, as calls of the request that they are made for. */
function createQueries(calls, tracer) {
  const end = (call, error) => {
    if (error) call.error = withoutValues(error, call);
    calls.end(call);
  };
  return {
    isReported: () => !tracer.isThere(),
    /** Undefined for one that is not told. */
    begin(statement, place) {
      const call = beginCall();
      if (call.trace !== undefined && call.trace.calls > toldPerRequestMax) {
        calls.lose();
        return undefined;
      }
      call.statement = statement;
      call.common = commonOf(statement, place);
      return call;
    },
    end: (call, error) => safely(end, call, error),
    /** A callback that hears of the end first, and runs for whom the query was made. */
    heard(call, callback) {
      return function (...answer) {
        safely(end, call, answer[0]);
        return run(call.trace, () => Reflect.apply(callback, this, answer));
      };
    },
    /** What is handed on is what was heard: nobody's failure is taken for handled. */
    followed(call, promise) {
      if (typeof promise?.then !== 'function') {
        safely(end, call);
        return promise;
      }
      return promise.then(
        (value) => {
          safely(end, call);
          return value;
        },
        (error) => {
          safely(end, call, error);
          throw error;
        },
      );
    },
  };
}

/** Places of one program are few, but one may open any number of databases. */
const placesMax = 50;

function commonOf(statement, place) {
  const known = statement.encoded.get(place.key);
  if (known !== undefined) return known;
  if (statement.encoded.size >= placesMax) statement.encoded.clear();
  const common = encode(statement, place);
  statement.encoded.set(place.key, common);
  return common;
}

function encode({ operation, summary, text }, { system, host, port, namespace }) {
  const values = {
    'db.system.name': system,
    'db.namespace': namespace,
    'db.operation.name': operation,
    'db.query.summary': summary,
    'server.address': host,
    'server.port': port,
  };
  const common = encodeCommon('client', summary, values, false);
  return Buffer.concat([common, attributes(9, { 'db.query.text': text })]);
}

/** From the first quote to the last: what was given may have quotes in it. */
const fromFirstQuote = /["'].*["']/s;

/** Databases quote what they were given. What the text of the query says may be repeated. */
function withoutValues(error, { statement }) {
  const { name, code } = error;
  const known = `${statement.text ?? ''} ${error.constraint ?? ''}`;
  const message = String(error.message)
    .replace(fromFirstQuote, (quoted) => (areNames(quoted, code, known) ? quoted : '?'))
    .replace(/\b\d[\w.]*/g, '?');
  return { name, code, message };
}

/** PostgreSQL quotes values that it can't read (class 22); elsewhere, names of the query. */
function areNames(quoted, code, known) {
  if (String(code).startsWith('22')) return false;
  const parts = quoted.match(/"[^"]*"|'[^']*'/g) ?? [];
  const isKnown = (part) => part.length > 2 && known.includes(part.slice(1, -1));
  return parts.length * 2 === quoted.match(/["']/g).length && parts.every(isKnown);
}

/** Where a database is, by what its client was told. */
function placeOf({ system, host, port, namespace }) {
  const [told, at] = [String(host ?? 'localhost'), Number(port) || undefined];
  const key = `${system} ${told}:${at} ${namespace}`;
  return { system, host: told, port: at, namespace, key };
}

module.exports = { createQueries, placeOf };
