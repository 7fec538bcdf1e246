'use strict';

const http = require('node:http');
const https = require('node:https');
const { callerOf } = require('../context/caller.cjs');
const { lazily } = require('../lazily.cjs');

/** Calls by http and https for a keyed request go to the router; others do not. */
function tagHttp(settings) {
  const keyed = lazily(() => require('./outbound-keyed.cjs').createSend(settings));
  for (const [scheme, module] of Object.entries({ http, https })) {
    const { request, get } = module;
    /** Undefined if the call is left alone: it has no key, or no host and port. */
    const send = (args) => {
      const caller = callerOf(headersIn(args), settings);
      return caller && keyed()(args, { scheme, caller });
    };
    const { reports } = settings;
    module.request = function (...args) {
      const sent = send(args) ?? Reflect.apply(request, this, args);
      return reports === undefined ? sent : reports.called(sent, scheme);
    };
    module.get = function (...args) {
      const sent = send(args);
      if (sent === undefined && reports === undefined) return Reflect.apply(get, this, args);
      const made = sent ?? Reflect.apply(request, this, args);
      reports?.called(made, scheme);
      made.end();
      return made;
    };
    for (const name of ['request', 'get']) {
      Object.defineProperty(module[name], 'name', { value: name });
    }
    if (scheme === 'http') tagRequests(send);
  }
}

/** For code that constructs requests itself; a subclass of the application is left alone. */
function tagRequests(send) {
  const { ClientRequest } = http;
  http.ClientRequest = new Proxy(ClientRequest, {
    construct(target, args, newTarget) {
      const sent = newTarget === http.ClientRequest ? send(args) : undefined;
      return sent ?? Reflect.construct(target, args, newTarget);
    },
  });
}

/** Lists of headers are not searched: tracers, which add keys, write objects. */
function headersIn([first, second]) {
  return first?.headers ?? second?.headers;
}

module.exports = { tagHttp };
