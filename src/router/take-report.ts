import type { Caller } from './caller.ts';
import type { ExchangeDeps } from './exchange.ts';
import type { Head } from './head.ts';
import { type Report, readReport } from './report.ts';
import { openLane } from './route.ts';
import { invalid } from './table-forms.ts';

export function takeReport(
  { head, caller }: { head: Head; caller: Caller },
  deps: ExchangeDeps,
): void {
  const report = readReport(head, deps);
  if (report.kind === 'escape') recordEscape(report, caller, deps);
  else if (report.kind === 'consumer') nameConsumer(report, caller, deps);
  else throw invalid('a report must be of an escape, or ask for a consumer');
}

/**
 * A request came to a service with nothing of its key but the tag in its trace id. It is served
 * already: all there is to do is to say so in the lane's hops.
 */
function recordEscape(report: Report, caller: Caller, deps: ExchangeDeps): void {
  const { draft, instance } = report;
  const known = { escaped: true, protocol: 'http1', status: 0 } as const;
  const key = escapedKey(report, deps);
  deps.hops.record({ ...draft, ...known, key, instance: instance ?? 'baseline' });
  caller.begin({ status: 204, statusMessage: 'No Content', lines: [], isOver: true });
  caller.end([]);
}

/**
 * What a lane left behind may call on when it has ended, and just then goes without its key. As
 * long as its hops can be read, that belongs to them.
 */
function escapedKey({ key }: Report, { book, clock, hops, ended }: ExchangeDeps): string {
  const former = ended.keyOf(key);
  if (!hops.has(former)) openLane(book(), key, clock.now());
  return hops.has(former) ? former : key;
}

/**
 * A service has got a message and asks who consumes it: the lane's candidate of the service, or the
 * baseline where there is none. Whoever asks about its own consumes it now: that is a hop.
 */
function nameConsumer(report: Report, caller: Caller, deps: ExchangeDeps): void {
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
