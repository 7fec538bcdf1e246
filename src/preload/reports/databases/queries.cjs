'use strict';

const context = require('../../context/context.cjs');
const { waitBegins, waitEnds } = require('../../context/handled.cjs');
const { beginCall } = require('../calls/calls.cjs');
const { attributes } = require('../otlp/field.cjs');
const { safely } = require('../safely.cjs');
const { encodeCommon } = require('../otlp/spans.cjs');

/** Further queries of one request are counted but not reported: nobody would read them. */
const reportedPerRequestMax = 1_000;

/** Queries and commands to databases, as calls of the request that makes them. */
function createQueries(calls, tracer) {
  const end = (call, error) => {
    if (call.serving !== undefined) waitEnds(call.serving);
    call.serving = undefined;
    if (error) call.error = withoutValues(error, call);
    calls.end(call);
  };
  return {
    isReported: () => !tracer.isThere(),
    /** Undefined for a query that is not reported. */
    begin(statement, place) {
      const call = beginCall();
      if (call.trace !== undefined && call.trace.calls > reportedPerRequestMax) {
        calls.lose();
        return undefined;
      }
      call.serving = context.serving();
      if (call.serving !== undefined) waitBegins(call.serving);
      call.statement = statement;
      call.common = commonOf(statement, place);
      return call;
    },
    end: (call, error) => safely(end, call, error),
    /** A callback that records the end first, and then runs in the context of the query. */
    heard(call, callback) {
      const bound = context.bound(callback);
      return function (...answer) {
        safely(end, call, answer[0]);
        return Reflect.apply(bound, this, answer);
      };
    },
    /** Returns the derived promise, so that an unhandled rejection stays unhandled. */
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

/** A program uses few databases, but it may open any number. */
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

/** From the first quote to the last, because a value may itself contain quotes. */
const fromFirstQuote = /["'].*["']/s;

/** Databases quote values in errors. Only text that is also in the query may be repeated. */
function withoutValues(error, { statement }) {
  const { name, code } = error;
  const known = `${statement.text ?? ''} ${error.constraint ?? ''}`;
  const message = String(error.message)
    .replace(fromFirstQuote, (quoted) => (areNames(quoted, code, known) ? quoted : '?'))
    .replace(/\b\d[\w.]*/g, '?');
  return { name, code, message };
}

/**
 * PostgreSQL quotes values that it cannot read (class 22); in other errors it quotes names of the
 * query.
 */
function areNames(quoted, code, known) {
  if (String(code).startsWith('22')) return false;
  const parts = quoted.match(/"[^"]*"|'[^']*'/g) ?? [];
  const isKnown = (part) => part.length > 2 && known.includes(part.slice(1, -1));
  return parts.length * 2 === quoted.match(/["']/g).length && parts.every(isKnown);
}

/** The address of a database, as its client was configured. */
function placeOf({ system, host, port, namespace }) {
  const [address, at] = [String(host ?? 'localhost'), Number(port) || undefined];
  const key = `${system} ${address}:${at} ${namespace}`;
  return { system, host: address, port: at, namespace, key };
}

module.exports = { createQueries, placeOf };
