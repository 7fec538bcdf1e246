'use strict';

const { syncBuiltinESMExports } = require('node:module');

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
  require('./outbound-http.cjs').tagHttp(settings);
  require('./outbound-fetch.cjs').tagFetch(settings);
  require('./sockets.cjs').releaseSockets();
  require('./listen.cjs').moveListen(settings);
  // For `import { request } from 'node:http'`, which is otherwise bound to what it was.
  syncBuiltinESMExports();
}

function readSettings(environment) {
  const { SURETY_ROUTER, SURETY_SERVICE, SURETY_INSTANCE, SURETY_LISTEN_PORT } = environment;
  const [, host, port] = /^([\w.-]+):(\d{1,5})$/.exec(SURETY_ROUTER) ?? [];
  // To go on untagged would send keyed requests to the baseline without anybody noticing.
  if (!host) throw new Error(`SURETY_ROUTER must be host:port, but is "${SURETY_ROUTER}".`);
  return {
    router: { host, port: Number(port) },
    service: SURETY_SERVICE ?? '',
    instance: SURETY_INSTANCE ?? '',
    listenPort: SURETY_LISTEN_PORT ? Number(SURETY_LISTEN_PORT) : undefined,
    reusePort: environment.SURETY_REUSE_PORT === '1',
  };
}
