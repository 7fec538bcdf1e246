import { isAuthentic, traceTag } from '../routing/trace-tag.ts';
import { type Address, isLoopback, isOwnName } from './address.ts';
import type { Door, RouteTable } from './table.ts';

/** Whose address it is: a service of the baseline, a candidate of some lanes, or a third party. */
export type Resident =
  | { readonly kind: 'service'; readonly service: string }
  | { readonly kind: 'candidate'; readonly service: string; readonly keys: Set<string> }
  | { readonly kind: 'stranger' };

/** A table, prepared for finding things: the cost of a request does not grow with lanes. */
export interface AddressBook {
  readonly table: RouteTable;
  find(address: Address): Resident;
  door(port: number): Door | undefined;
  /** What a trace id of that lane begins with. */
  tagOf(key: string): string | undefined;
  /** The key of a tag, or of `trace-<its number>`; undefined when no open lane has it. */
  keyOf(tagOrAlias: string): string | undefined;
  /** Whether we signed the tag, whether or not its lane is open. */
  isOurs(tag: string): boolean;
}

export function createAddressBook(table: RouteTable): AddressBook {
  const places = placesOf(table);
  const names = namesOf(table);
  const ports = residents(table);
  const doors = new Map(table.doors?.map((door) => [door.port, door]));
  const { tags, keys } = traces(table);
  return {
    table,
    find({ host, port }) {
      const local = isLoopback(host) ? ports.get(port) : undefined;
      if (local) return local;
      const service = places.get(`${host}:${port}`) ?? names.get(host);
      if (service !== undefined) return { kind: 'service', service };
      // A name of this machine that we did not know would be taken for a third party's, and the
      // request would reach the baseline past its lane.
      return (isOwnName(host) && ports.get(port)) || { kind: 'stranger' };
    },
    door: (port) => doors.get(port),
    tagOf: (key) => tags.get(key),
    keyOf: (tagOrAlias) => keys.get(tagOrAlias),
    isOurs: (tag) => table.traceSecret !== undefined && isAuthentic(tag, table.traceSecret),
  };
}

/** By `host:port`: where services on other machines are, and the aliases that name a port. */
function placesOf({ services }: RouteTable): Map<string, string> {
  const places = new Map<string, string>();
  for (const [service, { host, port, aliases = [] }] of Object.entries(services)) {
    if (host !== undefined) places.set(`${host.toLowerCase()}:${port}`, service);
    for (const alias of aliases) places.set(alias.toLowerCase().replace(/[[\]]/g, ''), service);
  }
  return places;
}

/** By host, whatever the port: the names of services, and aliases that say so. */
function namesOf({ services }: RouteTable): Map<string, string> {
  const names = new Map<string, string>();
  for (const [service, { aliases = [] }] of Object.entries(services)) {
    const everywhere = aliases.filter((alias) => alias.endsWith(':*'));
    for (const alias of everywhere) names.set(alias.slice(0, -2).toLowerCase(), service);
  }
  for (const service of Object.keys(services)) names.set(service.toLowerCase(), service);
  return names;
}

function residents({ services, doors = [], lanes }: RouteTable): Map<number, Resident> {
  const ports = new Map<number, Resident>();
  for (const { port, to } of doors) ports.set(port, { kind: 'service', service: to });
  for (const [service, { host, port }] of Object.entries(services)) {
    if (host === undefined || isLoopback(host)) ports.set(port, { kind: 'service', service });
  }
  for (const [key, { overrides }] of Object.entries(lanes)) {
    for (const [service, { port }] of Object.entries(overrides)) {
      const known = ports.get(port);
      const keys = known?.kind === 'candidate' ? known.keys : new Set<string>();
      ports.set(port, { kind: 'candidate', service, keys: keys.add(key) });
    }
  }
  return ports;
}

function traces({ lanes, traceSecret }: RouteTable) {
  const tags = new Map<string, string>();
  const keys = new Map<string, string>();
  for (const [key, { trace }] of Object.entries(lanes)) {
    if (trace === undefined) continue;
    keys.set(`trace-${trace}`, key);
    if (traceSecret === undefined) continue;
    const tag = traceTag(traceSecret, trace);
    tags.set(key, tag);
    keys.set(tag, key);
  }
  return { tags, keys };
}
