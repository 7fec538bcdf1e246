import type { IncomingHttpHeaders } from 'node:http';
import { fault } from '../kernel/index.ts';
import { type Address, formatAddress, parseAddress } from './address.ts';
import type { AddressBook } from './address-book.ts';
import { readKey, unknownLane } from './lane-key.ts';
import type { LaneRoutes, Scheme, ServiceRoute } from './table.ts';
import { invalid } from './table-forms.ts';

/** Where one request goes, decided once: what the table becomes meanwhile is for the next one. */
export interface Route extends Address {
  readonly key: string;
  readonly lane: string;
  /** The service, or `host:port` of a third party. */
  readonly to: string;
  /** The candidate's name for itself, `baseline` or `external`. */
  readonly instance: string;
  readonly kind: 'candidate' | 'baseline' | 'external';
  readonly scheme: Scheme;
  /** It came from outside, not from a service. */
  readonly isIngress: boolean;
}

/** Pure. Throws the fault that refuses the request; no branch of it falls back to the baseline. */
export function route(book: AddressBook, headers: IncomingHttpHeaders): Route {
  const key = readKey(headers);
  const { lanes } = book.table;
  const lane = Object.hasOwn(lanes, key) ? lanes[key] : undefined;
  if (!lane) throw unknownLane(`the key ${key} is unknown or its lane has ended`);
  const address = readAddress(headers);
  const common = { key, lane: lane.lane, isIngress: address === undefined };
  const scheme = address && schemeOf(headers);
  const service = address ? serviceAt(book, address, key) : ingressOf(book);
  if (service === undefined) return { ...common, ...external(address as Address, scheme) };
  return { ...common, ...internal(book, { service, lane, scheme }) };
}

function readAddress({ 'x-surety-to': to }: IncomingHttpHeaders): Address | undefined {
  if (to === undefined) return undefined;
  const address = parseAddress(String(to));
  if (!address) throw invalid('x-surety-to must be host:port');
  return address;
}

function schemeOf({ 'x-surety-scheme': scheme }: IncomingHttpHeaders): Scheme {
  return scheme === 'https' ? 'https' : 'http';
}

function ingressOf({ table }: AddressBook): string {
  if (table.ingress !== '') return table.ingress;
  throw unknownLane('it came from outside, and no service is the ingress');
}

/** Undefined for a third party. */
function serviceAt(book: AddressBook, address: Address, key: string): string | undefined {
  const resident = book.find(address);
  if (resident.kind === 'stranger') return undefined;
  if (resident.kind === 'candidate' && !resident.keys.has(key)) {
    throw fault('LANE_FOREIGN', { address: formatAddress(address) });
  }
  return resident.service;
}

type Destination = Omit<Route, 'key' | 'lane' | 'isIngress'>;

function external(address: Address, scheme: Scheme = 'http'): Destination {
  const to = formatAddress(address);
  return { ...address, to, instance: 'external', kind: 'external', scheme };
}

function internal(
  { table }: AddressBook,
  { service, lane, scheme }: { service: string; lane: LaneRoutes; scheme: Scheme | undefined },
): Destination {
  const baseline = table.services[service] as ServiceRoute;
  const override = Object.hasOwn(lane.overrides, service) ? lane.overrides[service] : undefined;
  return {
    to: service,
    // Candidates run here, wherever the baseline does.
    host: override ? '127.0.0.1' : (baseline.host ?? '127.0.0.1'),
    port: override?.port ?? baseline.port,
    instance: override?.instance ?? 'baseline',
    kind: override ? 'candidate' : 'baseline',
    // As the caller addressed it; from outside, as the service is known to speak.
    scheme: scheme ?? baseline.scheme ?? (baseline.protocol === 'https' ? 'https' : 'http'),
  };
}
