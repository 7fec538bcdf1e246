'use strict';

const http = require('node:http');
const https = require('node:https');
const { callerOf } = require('../context/caller.cjs');
const context = require('../context/context.cjs');
const { callBegins, waitEnds } = require('../context/handled.cjs');
const { lazily } = require('../lazily.cjs');
const { replace } = require('../replace.cjs');

/** Calls by http and https for a keyed request go to the router; others do not. */
function tagHttp(settings) {
  const keyed = lazily(() => require('./outbound-keyed.cjs').createSend(settings));
  for (const [scheme, module] of Object.entries({ http, https })) {
    const { request } = module;
    /** Undefined if the call is left alone: it has no key, or no host and port. */
    const send = (args) => {
      const caller = callerOf(headersIn(args), settings, () => keyed().addressOf(args, scheme));
      return caller && keyed().send(args, { scheme, caller });
    };
    const { reports } = settings;
    const make = (self, args) => {
      const made = send(args) ?? Reflect.apply(request, self, args);
      countCall(made);
      return reports === undefined ? made : reports.called(made, scheme);
    };
    replace(
      module,
      'request',
      () =>
        function (...args) {
          return make(this, args);
        },
    );
    replace(
      module,
      'get',
      () =>
        function (...args) {
          const made = make(this, args);
          made.end();
          return made;
        },
    );
    if (scheme === 'http') tagRequests(send);
  }
}

const servingSymbol = Symbol('surety.serving');

/** As long as the call is under way, its request waits for it. */
function countCall(call) {
  const serving = context.serving();
  if (serving === undefined) return;
  callBegins(serving);
  call[servingSymbol] = serving;
  call.on('close', onClose);
}

function onClose() {
  waitEnds(this[servingSymbol]);
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
