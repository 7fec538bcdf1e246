'use strict';

const { syncBuiltinESMExports } = require('node:module');
const { readSettings } = require('./settings.cjs');

/**
 * Loaded into services by NODE_OPTIONS=--require. It only tags: calls that are made for a keyed
 * request go to the router, which decides. Everything else is as if this file were not there.
 */
const installed = Symbol.for('surety.tag');

if (process.env.SURETY_ROUTER && !process[installed]) {
  process[installed] = true;
  install(readSettings(process.env));
}

function install(settings) {
  require('./inbound.cjs').tagInbound(settings);
  require('./inbound-http2.cjs').tagInboundHttp2(settings);
  require('./outbound-http.cjs').tagHttp(settings);
  require('./outbound-http2.cjs').tagHttp2(settings);
  require('./outbound-undici.cjs').tagUndici(settings);
  require('./threads.cjs').tagThreads();
  require('./children.cjs').tagChildren();
  require('./packages.cjs').tagPackages();
  require('./sockets.cjs').tagSockets(settings);
  require('./timers.cjs').tagTimers();
  require('./report.cjs').reportLosses(settings);
  require('./listen.cjs').moveListen(settings);
  // For `import { request } from 'node:http'`, which is otherwise bound to what it was.
  syncBuiltinESMExports();
}
