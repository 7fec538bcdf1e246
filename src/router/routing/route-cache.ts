import type { AddressBook } from '../table/address-book.ts';
import { isDue, type Route, type RouteInput, route } from './route.ts';

/** Requests of one lane from one service to another are many, and all say the same. */
interface CachedRoute {
  readonly route: Route;
  readonly expiresAt: number;
}

const routesMax = 2_000;
const charactersMax = 600;
/** What no header can say. */
const nothing = '\0';
const caches = new WeakMap<AddressBook, Map<string, CachedRoute>>();

/** The same as `route`, which is asked once for each kind of request and table. */
export function findRoute(book: AddressBook, arrival: RouteInput): Route {
  const name = nameOf(book, arrival);
  const cache = cacheOf(book);
  const known = cache.get(name);
  if (known && !isDue(known.expiresAt, arrival.now)) return known.route;
  const found = route(book, arrival);
  if (isSettled(found) && name.length <= charactersMax) keep(cache, name, remember(book, found));
  return found;
}

/** Everything that the decision depends on, as long as there is a key. */
function nameOf({ table }: AddressBook, { headers, door }: RouteInput): string {
  const own = table.header === undefined ? nothing : (headers[table.header] ?? nothing);
  const { baggage = nothing, tracestate = nothing } = headers;
  const { 'x-surety-to': to = nothing, 'x-surety-from': from = nothing } = headers;
  const scheme = headers['x-surety-scheme'] ?? nothing;
  const isOwn = headers['x-surety-own-call'] !== undefined;
  return `${door?.port}\n${baggage}\n${tracestate}\n${own}\n${to}\n${scheme}\n${from}\n${isOwn}`;
}

/** Without a key it depends on the trace id as well, which is never the same. */
function isSettled({ key, recovered, isOwn }: Route): boolean {
  return key !== null && !recovered && !isOwn;
}

function remember({ table }: AddressBook, found: Route): CachedRoute {
  const lane = table.lanes[found.key as string];
  return { route: found, expiresAt: lane?.expiresAt ?? Number.POSITIVE_INFINITY };
}

function keep(cache: Map<string, CachedRoute>, name: string, known: CachedRoute): void {
  if (cache.size >= routesMax) cache.clear();
  cache.set(name, known);
}

function cacheOf(book: AddressBook): Map<string, CachedRoute> {
  const known = caches.get(book);
  if (known) return known;
  const cache = new Map<string, CachedRoute>();
  caches.set(book, cache);
  return cache;
}
