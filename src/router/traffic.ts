import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Clock, fault, type Log, toFault } from '../kernel/index.ts';
import type { AddressBook } from './address-book.ts';
import { type Exchange, forward } from './forward.ts';
import type { Hops } from './hops.ts';
import { recordHop } from './recorder.ts';
import { refuse } from './refuse.ts';
import { type Route, route } from './route.ts';

export interface TrafficDeps {
  /** The table as it is now. */
  book(): AddressBook;
  readonly hops: Hops;
  readonly clock: Clock;
  readonly log: Log;
}

/** Longer than any client keeps an idle connection, so that it is never us who closes one. */
const keepAliveMs = 65_000;

/** The server that keyed requests come to. */
export function createTraffic(deps: TrafficDeps): Server {
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: keepAliveMs });
  // An upload or a stream may take as long as it takes.
  server.requestTimeout = 0;
  const handle = (request: IncomingMessage, response: ServerResponse): void =>
    serve(request, response, deps);
  server.on('request', handle);
  // Answered by the service, not by us: whether to go on is for it to say.
  server.on('checkContinue', handle);
  return server;
}

function serve(request: IncomingMessage, response: ServerResponse, deps: TrafficDeps): void {
  // Whoever breaks off is seen where the response closes; unheard, this would end the process.
  request.on('error', () => {});
  response.on('error', () => {});
  let decided: Route | undefined;
  try {
    decided = route(deps.book(), request.headers);
    pass({ request, response, route: decided }, deps);
  } catch (error) {
    const reason = toFault(error);
    deps.log('warn', 'request-refused', { code: reason.code, reason: reason.message });
    refuse(response, reason, decided);
  }
}

function pass(exchange: Exchange, { hops, clock }: TrafficDeps): void {
  const onAnswer = recordHop(exchange, { clock, record: (hop) => hops.record(hop) });
  const { upgrade = '' } = exchange.request.headers;
  // Others are offers (h2c, TLS) that a server may pass over; this one can't do without.
  if (/\bwebsocket\b/i.test(upgrade)) throw fault('UPGRADE_UNSUPPORTED', { protocol: 'WebSocket' });
  forward(exchange, onAnswer);
}
