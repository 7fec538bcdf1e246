'use strict';

const { request } = require('node:http');
const { syncBuiltinESMExports } = require('node:module');
const { readSettings } = require('./settings.cjs');

/**
 * Loaded into services by NODE_OPTIONS=--require. It only tags: calls for a keyed request go to the
 * router, which decides. Everything else behaves as without this file.
 */
const installed = Symbol.for('surety.tag');

if (process.env.SURETY_ROUTER && !process[installed]) {
  process[installed] = true;
  // Our own requests to the router must not be taken for calls of the application.
  const settings = { ...readSettings(process.env), dial: request };
  // First, because it needs the original timers and sockets.
  const reports = settings.telemetry && require('./reports/index.cjs').createReports(settings);
  // Probes ask for it, so that what they capture is found beside the spans of the request.
  if (reports) process[installed] = reports.traceId;
  if (settings.coverage) {
    const { safely } = require('./reports/safely.cjs');
    const { recordCoverage } = require('./line-coverage/coverage.cjs');
    safely(recordCoverage, settings.coverage, settings.service);
  }
  install({ ...settings, reports });
}

function install(settings) {
  require('./outbound/exporters.cjs').setExporters(process.env, settings);
  require('./context/context.cjs').belongTo(settings.lane);
  require('./inbound/inbound.cjs').tagInbound(settings);
  require('./outbound/outbound-http.cjs').tagHttp(settings);
  require('./context/emitters.cjs').tagEmitters(settings);
  require('./packages.cjs').tagPackages(settings);
  require('./context/threads.cjs').tagThreads();
  require('./context/children.cjs').tagChildren();
  require('./outbound/sockets.cjs').tagSockets(settings);
  require('./context/timers.cjs').tagTimers(settings);
  require('./inbound/listen.cjs').moveListen(settings);
  // For `import { request } from 'node:http'`, which would otherwise stay bound to the original.
  syncBuiltinESMExports();
}
