import type { ExchangeDeps } from '../exchange.ts';
import type { Caller } from '../inbound/caller.ts';
import type { RequestHead } from '../inbound/head.ts';
import { unknownLane } from '../routing/lane-key.ts';
import { openLane } from '../routing/route.ts';
import { parseAddress } from '../table/address.ts';
import { invalid } from '../table/table-forms.ts';
import type { HopDraft } from './hops.ts';
import { type KeyReport, readReport } from './report.ts';

export function takeReport(
  { head, caller }: { head: RequestHead; caller: Caller },
  deps: ExchangeDeps,
): void {
  const report = readReport(head, deps);
  if (report.kind === 'escape') recordEscape(report, caller, deps);
  else if (report.kind === 'consumer') nameConsumer(report, caller, deps);
  else throw invalid('a report must be of an escape, or ask for a consumer');
}

/**
 * A request came to a service with nothing of its key but the tag in its trace id, or was sent to
 * one without it. It is served already: all there is to do is to say so in the lane's hops.
 */
function recordEscape(report: KeyReport, caller: Caller, deps: ExchangeDeps): void {
  const known = { escaped: true, protocol: 'http1', status: 0 } as const;
  const key = escapedKey(report, deps);
  const isRight = report.text('x-surety-if-changed') !== null && isInPlace(report, key, deps);
  const place = isRight ? undefined : placeOf(report, deps);
  if (place) deps.hops.record({ ...report.draft, ...known, key, ...place });
  const lines = isRight ? ['x-surety-changed', 'no'] : [];
  caller.begin({ status: 204, statusMessage: 'No Content', lines, isOver: true });
  caller.end([]);
}

/** Whether the instance that got a keyed request is the one to which the router would send it. */
function isInPlace({ at, instance }: KeyReport, key: string, { book }: ExchangeDeps): boolean {
  const overrides = book().table.lanes[key]?.overrides ?? {};
  return !Object.hasOwn(overrides, at) || overrides[at]?.instance === instance;
}

/**
 * What a lane left behind may call on when it has ended, and just then goes without its key. As
 * long as it is remembered, that belongs to its hops, and be it the first of them.
 */
function escapedKey(report: KeyReport, { book, hops, ended }: ExchangeDeps): string {
  const key = ended.keyOf(report.key);
  const isKnown = Object.hasOwn(book().table.lanes, key) || hops.has(key) || ended.has(key);
  if (!isKnown) throw unknownLane(`the key ${key} is unknown`);
  return key;
}

/**
 * The service that a call went to; undefined for a third party, such as a database, which is in no
 * lane. A report without an address is about the reporting service.
 */
function placeOf({ at, instance, text }: KeyReport, { book }: ExchangeDeps): Place | undefined {
  const destination = text('x-surety-to');
  if (destination === null) return { to: at, instance: instance ?? 'baseline', served: instance };
  const address = parseAddress(destination);
  if (!address) throw invalid('x-surety-to must be host:port');
  const resident = book().find(address);
  if (resident.kind === 'stranger') return undefined;
  return { to: resident.service, instance: 'baseline', served: null };
}

type Place = Pick<HopDraft, 'to' | 'instance' | 'served'>;

/**
 * A service has got a message and asks who consumes it: the lane's candidate of the service, or the
 * baseline where there is none. Whoever asks about its own consumes it now: that is a hop.
 */
function nameConsumer(report: KeyReport, caller: Caller, deps: ExchangeDeps): void {
  const { draft, key, at, text } = report;
  const lane = openLane(deps.book(), key, deps.clock.now());
  const override = Object.hasOwn(lane.overrides, at) ? lane.overrides[at] : undefined;
  const instance = override?.instance ?? 'baseline';
  if (text('x-surety-own') === instance) {
    const known = { escaped: false, protocol: 'message', status: 200 } as const;
    deps.hops.record({ ...draft, ...known, method: 'MESSAGE', instance });
  }
  const lines = ['x-surety-consumer', instance];
  caller.begin({ status: 204, statusMessage: 'No Content', lines, isOver: true });
  caller.end([]);
}
