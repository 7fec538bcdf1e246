'use strict';

const { alike } = require('../replace.cjs');

const servedHeader = 'x-surety-served';

/** As late as possible, because error handlers of some frameworks remove all headers. */
function sign(response, instance) {
  const { writeHead } = response;
  const signed = function (...args) {
    const last = args.length - 1;
    if (typeof args[last] === 'object' && args[last] !== null) {
      args[last] = addServed(args[last], instance);
    } else if (!this.headersSent) {
      this.setHeader(servedHeader, instance);
    }
    return Reflect.apply(writeHead, this, args);
  };
  response.writeHead = alike(signed, writeHead);
  // An old name of the same method.
  if (response.writeHeader === writeHead) response.writeHeader = response.writeHead;
}

/**
 * HTTP/2 starts an answer in one of three ways, all with the headers as first or second argument.
 */
function signStream(stream, instance) {
  for (const [name, index] of Object.entries({
    respond: 0,
    respondWithFile: 1,
    respondWithFD: 1,
  })) {
    const direct = stream[name];
    stream[name] = function (...args) {
      args[index] = addServed(args[index] ?? {}, instance);
      return Reflect.apply(direct, this, args);
    };
  }
}

/**
 * In the form in which they were given: older versions of Node lose repeated headers if two forms
 * are mixed.
 */
function addServed(headers, instance) {
  if (!Array.isArray(headers)) return { ...headers, [servedHeader]: instance };
  const isNested = Array.isArray(headers[0]);
  return [...headers, ...(isNested ? [[servedHeader, instance]] : [servedHeader, instance])];
}

module.exports = { sign, signStream };
