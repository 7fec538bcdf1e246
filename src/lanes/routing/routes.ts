import type { Json } from '../../kernel/index.ts';
import type { Config, ServiceConfig } from '../../system/index.ts';
import type { Candidate, Lane } from '../api-schema.ts';
import { traceOf } from '../lane/lane.ts';

/** Where keyed requests go. The router is told the whole table each time. */
export interface RouteTable {
  readonly ingress: string;
  /** One more header that may carry the key. */
  readonly header?: string;
  readonly traceSecret?: string;
  readonly services: Readonly<Record<string, ServiceRoute>>;
  readonly doors?: readonly Door[];
  readonly lanes: Readonly<Record<string, LaneRoutes>>;
}

export interface ServiceRoute {
  readonly port: number;
  readonly host?: string;
  readonly protocol?: 'http' | 'https' | 'h2c' | 'grpc';
  /** `host:port` or `host:*`. */
  readonly aliases?: readonly string[];
}

/** A port of the router that stands for service `to`; `from` null is open to those outside. */
export interface Door {
  readonly port: number;
  readonly from: string | null;
  readonly to: string;
}

export interface LaneRoutes {
  readonly lane: string;
  readonly overrides: Readonly<Record<string, Pick<Candidate, 'port' | 'instance' | 'protocol'>>>;
  /** Where its requests from outside enter, when elsewhere than others. */
  readonly ingress?: string;
  readonly expiresAt?: number;
  /** The lane's number in trace ids: 4 bytes in hex. */
  readonly trace?: string;
}

/** One request from one service to another, as the router saw it. */
export interface Hop {
  readonly n: number;
  /** Counts those of its lane: where a number is left out, one had to make room. */
  readonly nth?: number;
  /** Milliseconds of the router's own clock: tells which of two began first. */
  readonly startedAt: number;
  readonly requestId: string | null;
  readonly traceId: string | null;
  readonly from: string | null;
  readonly to: string;
  readonly instance: string;
  /** What the instance itself said that it is; null when it said nothing. */
  readonly served: string | null;
  /** Whether there was an answer from there at all, and not one of the router itself. */
  readonly answered?: boolean;
  /** The caller had dropped the key; the tag in the trace id told the lane. */
  readonly recovered: boolean;
  /** It went past the router; the service that got it told so. */
  readonly escaped: boolean;
  /** What its request asked to go wrong on its way; left out where it asked for nothing. */
  readonly faults?: string;
  /** What of that happened here, as in `delay=800`. */
  readonly injected?: string;
  /** What the service answered in whole, where that was lost on the way. */
  readonly lostStatus?: number;
  readonly protocol: 'http1' | 'http2' | 'grpc' | 'websocket' | 'message';
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly requestBody: Json;
  readonly responseBody: Json;
  readonly responseBytes?: number;
  /** By which headers the answer was guarded; only of requests from outside. */
  readonly guards?: Readonly<Record<string, readonly string[]>>;
  readonly durationMs?: number;
}

/** A request from outside with all that it takes to send it again, credentials included. */
export interface TakenRequest {
  readonly method: string;
  readonly path: string;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  /** In base64; null when there was none, or more than is kept. */
  readonly body: string | null;
  readonly status: number;
  /** In base64, likewise. */
  readonly answer: string | null;
  /** The answer's content-encoding, where it has one. */
  readonly answerEncoding?: string;
}

/** As much of the router as lanes need; the runtime hands it in. */
export interface Routes {
  publish(table: RouteTable): Promise<void>;
  /** Those after hop `after`, as far as they are still there. */
  hops(lane: string, after?: number): Promise<readonly Hop[]>;
  /** Keeps what the lane's requests from outside consist of, from now on. */
  take(lane: string): Promise<void>;
  /** What was kept since; it is kept no longer. Null if it had to make room for other lanes. */
  taken(lane: string): Promise<readonly TakenRequest[] | null>;
  forget(lane: string): Promise<void>;
  /** Where a client sends the lane's requests. */
  address(): Promise<string>;
}

export function routeTable(config: Config, lanes: readonly Lane[]): RouteTable {
  const services = Object.entries(config.services).map(([name, one]) => [name, serviceRoute(one)]);
  const byId = new Map(lanes.map((lane) => [lane.lane, lane]));
  return {
    ingress: config.ingress ?? '',
    ...(config.routing.header ? { header: config.routing.header } : {}),
    services: Object.fromEntries(services),
    lanes: Object.fromEntries(
      lanes
        .map((lane) => [lane.lane, laneRoutes(lane, byId)] as const)
        .filter(([, routes]) => isRoutable(routes, config)),
    ),
  };
}

function serviceRoute({ port, host, protocol, aliases }: ServiceConfig): ServiceRoute {
  return {
    port,
    host,
    // A keyed call to what speaks no HTTP never comes to the router.
    ...(protocol === 'tcp' ? {} : { protocol }),
    aliases: aliases.map((alias) => (alias.includes(':') ? alias : `${alias}:*`)),
  };
}

/** One that has a service which is no more is refused alone, and does not hold up the others. */
function isRoutable({ overrides, ingress }: LaneRoutes, { services }: Config): boolean {
  const names = [...Object.keys(overrides), ...(ingress ? [ingress] : [])];
  return names.every((name) => Object.hasOwn(services, name));
}

function laneRoutes(lane: Lane, byId: ReadonlyMap<string, Lane>): LaneRoutes {
  const { expiresAt, ingress } = lane;
  return {
    lane: lane.lane,
    overrides: overridesOf(lane, byId),
    ...(ingress ? { ingress } : {}),
    expiresAt,
    trace: traceOf(lane.lane),
  };
}

/** Its own candidates, over those of the lane that it stands on. */
function overridesOf(
  { candidates, on }: Lane,
  byId: ReadonlyMap<string, Lane>,
): LaneRoutes['overrides'] {
  const below = on === null ? undefined : byId.get(on);
  const own = candidates.map(({ service, port, instance, protocol }) => [
    service,
    { port, instance, ...(protocol ? { protocol } : {}) },
  ]);
  return { ...(below ? overridesOf(below, byId) : {}), ...Object.fromEntries(own) };
}
