'use strict';

const { request } = require('node:http');
const { syncBuiltinESMExports } = require('node:module');
const { readSettings } = require('./settings.cjs');

/**
 * Loaded into services by NODE_OPTIONS=--require. It only tags: calls that are made for a keyed
 * request go to the router, which decides. Everything else is as if this file were not there.
 */
const installed = Symbol.for('surety.tag');

if (process.env.SURETY_ROUTER && !process[installed]) {
  process[installed] = true;
  // What tells the router something must not be taken for a call of the application.
  const settings = { ...readSettings(process.env), dial: request };
  // First: it needs timers and sockets as they were.
  const reports = settings.telemetry && require('./reports/index.cjs').createReports(settings);
  install({ ...settings, reports });
}

function install(settings) {
  require('./inbound.cjs').tagInbound(settings);
  require('./outbound-http.cjs').tagHttp(settings);
  require('./emitters.cjs').tagEmitters(settings);
  require('./packages.cjs').tagPackages(settings);
  require('./threads.cjs').tagThreads();
  require('./children.cjs').tagChildren();
  require('./sockets.cjs').tagSockets(settings);
  require('./timers.cjs').tagTimers(settings);
  require('./listen.cjs').moveListen(settings);
  // For `import { request } from 'node:http'`, which is otherwise bound to what it was.
  syncBuiltinESMExports();
}
