import type { Readable } from 'node:stream';
import { type CallerConnections, type Log, toFault } from '../../kernel/index.ts';
import { Exchange, type ExchangeDeps, type ExchangeRequest } from '../exchange.ts';
import { inject } from '../faults/inject.ts';
import type { Caller } from '../inbound/caller.ts';
import type { RequestHead } from '../inbound/head.ts';
import { LostCaller } from '../inbound/lost-caller.ts';
import { isReport } from '../record/report.ts';
import { takeReport } from '../record/take-report.ts';
import type { Door } from '../table/table.ts';
import type { InstanceConnections } from '../upstream/upstreams.ts';
import { unknownLane } from './lane-key.ts';
import { findRoute } from './route-cache.ts';

export interface TrafficDeps extends ExchangeDeps {
  readonly upstreams: InstanceConnections;
  readonly callers: CallerConnections;
  readonly log: Log;
}

export interface IncomingRequest {
  readonly caller: Caller;
  readonly body: Readable | null;
  /** The port of the door by which it came; null for the router's own. */
  readonly doorPort: number | null;
  /** Throws when there is something wrong with it. */
  readHead(): RequestHead;
  send(exchange: Exchange): void;
}

/** Decides where a request goes and sends it there, or tells its caller why not. */
export function admit(asking: IncomingRequest, deps: TrafficDeps): void {
  const { caller, body, doorPort } = asking;
  try {
    const door = doorPort === null ? undefined : doorAt(doorPort, deps);
    const head = asking.readHead();
    if (!door && isReport(head)) takeReport({ head, caller }, deps);
    else pass({ head, body, caller }, { door, send: asking.send }, deps);
  } catch (error) {
    const reason = toFault(error);
    deps.log('warn', 'request-refused', { code: reason.code, reason: reason.message });
    caller.refuse(reason);
  }
}

function pass(
  request: ExchangeRequest,
  { door, send }: { door: Door | undefined; send: IncomingRequest['send'] },
  deps: TrafficDeps,
): void {
  const arrival = { headers: request.head.headers, door, now: deps.clock.now() };
  const route = findRoute(deps.book(), arrival);
  const { faults } = route;
  const isLost = faults?.met?.isLost === true;
  const asked = isLost ? { ...request, caller: new LostCaller(request.caller) } : request;
  const exchange = new Exchange(asked, route, deps);
  if (faults?.met) inject(exchange, faults.met, send);
  else send(exchange);
}

function doorAt(port: number, { book }: TrafficDeps): Door {
  const door = book().door(port);
  if (!door) throw unknownLane(`the door at port ${port} is being closed`);
  return door;
}
