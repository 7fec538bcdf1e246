import type {
  Door,
  Hop,
  LaneRoutes,
  RouteTable,
  ServiceRoute,
  TakenRequest,
} from '../../router/index.ts';
import type { Config, ServiceConfig } from '../../system/index.ts';
import type { Candidate, Lane } from '../api-schema.ts';
import { traceOf } from '../lane/lane.ts';

/** As much of the router as lanes need; the runtime hands it in. */
export interface Routes {
  publish(table: RouteTable): Promise<void>;
  /** The hops after hop `after` that are still kept. */
  hops(lane: string, after?: number): Promise<readonly Hop[]>;
  /** Keeps what the lane's requests from outside consist of, from now on. */
  take(lane: string): Promise<void>;
  /** What was kept since; it is kept no longer. Null if it had to make room for other lanes. */
  taken(lane: string): Promise<readonly TakenRequest[] | null>;
  forget(lane: string): Promise<void>;
  /** Where a client sends the lane's requests. */
  address(): Promise<string>;
}

export function routeTable(config: Config, lanes: readonly RoutedLane[]): RouteTable {
  const services = Object.entries(config.services).map(([name, one]) => [name, serviceRoute(one)]);
  const byId = new Map(lanes.map((lane) => [lane.lane, lane]));
  const routed = lanes
    .map((lane) => [lane, laneRoutes(lane, byId)] as const)
    .filter(([, routes]) => isRoutable(routes, config));
  return {
    ingress: config.ingress ?? '',
    ...(config.routing.header ? { header: config.routing.header } : {}),
    services: Object.fromEntries(services),
    doors: routed.flatMap(([lane]) => laneDoors(lane)),
    lanes: Object.fromEntries(routed.map(([{ lane }, routes]) => [lane, routes])),
  };
}

/** As much of a lane as its routes need; one that is being opened has candidates that started. */
export type RoutedLane = Pick<Lane, 'lane' | 'candidates' | 'on' | 'expiresAt' | 'ingress'> & {
  /** Instances that are about to start, and may call others at once. */
  readonly starting?: readonly Pick<Candidate, 'service' | 'doors'>[];
};

/** By these ports its own instances call others, with or without the key. */
function laneDoors({ lane, candidates, starting = [] }: RoutedLane): Door[] {
  return [...candidates, ...starting].flatMap(({ service: from, doors = [] }) =>
    doors.map((door) => ({ ...door, from, lane })),
  );
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

function laneRoutes(lane: RoutedLane, byId: ReadonlyMap<string, RoutedLane>): LaneRoutes {
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
  { candidates, on }: RoutedLane,
  byId: ReadonlyMap<string, RoutedLane>,
): LaneRoutes['overrides'] {
  const below = on === null ? undefined : byId.get(on);
  const own = candidates.map(({ service, port, instance, protocol }) => [
    service,
    { port, instance, ...(protocol ? { protocol } : {}) },
  ]);
  return { ...(below ? overridesOf(below, byId) : {}), ...Object.fromEntries(own) };
}
