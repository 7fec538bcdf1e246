import { fault, type Instant } from '../../kernel/index.ts';
import { type AskedFaults, readFaults } from '../faults/injected-fault.ts';
import { type Address, formatAddress, parseAddress } from '../table/address.ts';
import type { AddressBook } from '../table/address-book.ts';
import type { Door, LaneRoutes, Scheme, ServiceRoute } from '../table/table.ts';
import { invalid } from '../table/table-forms.ts';
import { type HeaderValues, type LaneClaim, readClaim, textOf } from './claim.ts';
import { unknownLane } from './lane-key.ts';

/** Where one request goes. It is decided once; a new table applies to later requests only. */
export interface Route extends Address {
  /** Null for a request without a key, which came by a door. */
  readonly key: string | null;
  readonly lane: string | null;
  /** The calling service; null for outside callers, whose claims are not trusted. */
  readonly from: string | null;
  /** The service, or `host:port` of a third party. */
  readonly to: string;
  /** The candidate's name for itself, `baseline` or `external`. */
  readonly instance: string;
  readonly kind: 'candidate' | 'baseline' | 'external';
  readonly scheme: Scheme;
  /** What the service is known to speak; null when its caller addressed it and so must know. */
  readonly speaks: 'http1' | 'http2' | null;
  /** It came from outside, not from a service. */
  readonly isIngress: boolean;
  readonly recovered: boolean;
  /** The key is not where services look for it, and has to be put there. */
  readonly lacksKey: boolean;
  /** It carried no key: it is the lane's because the lane's own instance made it. */
  readonly isOwn?: true;
  /** What its request asked to go wrong on its way, here or elsewhere, if anything. */
  readonly faults?: AskedFaults;
}

export interface RouteInput {
  readonly headers: HeaderValues;
  /** By which it came, if by one. */
  readonly door?: Door | undefined;
  readonly now: Instant;
}

/** Pure. Throws the fault that refuses the request; no branch of it falls back to the baseline. */
export function route(book: AddressBook, arrival: RouteInput): Route {
  const { door, headers } = arrival;
  const given = readClaim(book, headers);
  const claim = given ?? ownClaim(door);
  if (claim === undefined) return unkeyed(book, door);
  const lane = openLane(book, claim.key, arrival.now);
  const to = destination(book, { lane, key: claim.key, arrival });
  const faults = readFaults(book, textOf(headers.baggage), to);
  const isOwn = given === undefined || headers['x-surety-own-call'] !== undefined;
  const own = isOwn ? ({ isOwn } as const) : {};
  const common = { key: claim.key, lane: lane.lane, ...keyed(claim), ...own };
  return { ...common, ...to, ...(faults ? { faults } : {}) };
}

/** Whatever an instance of a lane calls belongs to the lane, also where it dropped the key. */
function ownClaim(door: Door | undefined): LaneClaim | undefined {
  return door?.lane === undefined
    ? undefined
    : { key: door.lane, recovered: false, isInPlace: false };
}

interface KeyedRequest {
  readonly lane: LaneRoutes;
  readonly key: string;
  readonly arrival: RouteInput;
}

function destination(book: AddressBook, { lane, key, arrival }: KeyedRequest): Destination {
  if (arrival.door) return atDoor(book, arrival.door, lane);
  const address = readAddress(arrival.headers);
  if (!address) return atIngress(book, lane);
  return addressed(book, { address, lane, key, arrival });
}

function keyed({ recovered, isInPlace }: LaneClaim): Pick<Route, 'recovered' | 'lacksKey'> {
  return { recovered, lacksKey: !isInPlace };
}

/** As if the service itself were behind that port. */
function unkeyed(book: AddressBook, door: Door | undefined): Route {
  if (!door) throw unknownLane('it carries no key');
  const nobody = { key: null, lane: null, recovered: false, lacksKey: false };
  return { ...nobody, ...atDoor(book, door, undefined) };
}

/** A lane that has ended, or whose time is over, is as good as unknown. */
export function openLane({ table }: AddressBook, key: string, now: Instant): LaneRoutes {
  const lane = Object.hasOwn(table.lanes, key) ? table.lanes[key] : undefined;
  if (!lane) throw unknownLane(`the key ${key} is unknown or its lane has ended`);
  if (lane.expiresAt !== undefined && isDue(lane.expiresAt, now)) {
    throw unknownLane(`the time of the lane of key ${key} is over`);
  }
  return lane;
}

export function isDue(expiresAt: Instant, now: Instant): boolean {
  return expiresAt <= now;
}

type Destination = Omit<Route, 'key' | 'lane' | 'recovered' | 'lacksKey' | 'isOwn' | 'faults'>;

function atDoor(book: AddressBook, { from, to }: Door, lane: LaneRoutes | undefined): Destination {
  // The one that is open to those outside stands for the ingress, which a lane may try elsewhere.
  const service = from === null ? (lane?.ingress ?? to) : to;
  return { ...internal(book, service, lane), from, isIngress: from === null };
}

function atIngress(book: AddressBook, lane: LaneRoutes): Destination {
  const ingress = lane.ingress ?? book.table.ingress;
  if (ingress === '') throw unknownLane('it came from outside, and no service is the ingress');
  return { ...internal(book, ingress, lane), from: null, isIngress: true };
}

/** As its caller addressed it, also in what it speaks. */
function addressed(
  book: AddressBook,
  { address, lane, key, arrival: { headers } }: KeyedRequest & { readonly address: Address },
): Destination {
  const from = headers['x-surety-from'];
  const scheme = headers['x-surety-scheme'] === 'https' ? 'https' : 'http';
  const common = {
    scheme,
    speaks: null,
    isIngress: false,
    from: typeof from === 'string' ? from.slice(0, nameCharactersMax) : null,
  } as const;
  const service = serviceAt(book, address, key);
  if (service === undefined) return { ...external(address), ...common };
  return { ...internal(book, service, lane), ...common };
}

const nameCharactersMax = 256;

function readAddress({ 'x-surety-to': to }: HeaderValues): Address | undefined {
  if (to === undefined) return undefined;
  const address = parseAddress(String(to));
  if (!address) throw invalid('x-surety-to must be host:port');
  return address;
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

type Place = Omit<Destination, 'from' | 'isIngress'>;

function external(address: Address): Omit<Place, 'scheme' | 'speaks'> {
  return { ...address, to: formatAddress(address), instance: 'external', kind: 'external' };
}

function internal({ table }: AddressBook, service: string, lane: LaneRoutes | undefined): Place {
  const baseline = table.services[service] as ServiceRoute;
  const overrides = lane?.overrides ?? {};
  const override = Object.hasOwn(overrides, service) ? overrides[service] : undefined;
  const { protocol, scheme } = override?.protocol
    ? { protocol: override.protocol, scheme: undefined }
    : baseline;
  return {
    to: service,
    // Candidates run here, wherever the baseline does.
    host: override ? '127.0.0.1' : (baseline.host ?? '127.0.0.1'),
    port: override?.port ?? baseline.port,
    instance: override?.instance ?? 'baseline',
    kind: override ? 'candidate' : 'baseline',
    scheme: scheme ?? (protocol === 'https' ? 'https' : 'http'),
    speaks: protocol === 'h2c' || protocol === 'grpc' ? 'http2' : 'http1',
  };
}
