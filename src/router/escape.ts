import type { Caller } from './caller.ts';
import { CapturedBody } from './captured-body.ts';
import { readClaim } from './claim.ts';
import type { ExchangeDeps } from './exchange.ts';
import type { Head } from './head.ts';
import { unknownLane } from './lane-key.ts';
import { invalid } from './table-forms.ts';
import { traceIdOf } from './trace-tag.ts';

const nothing = new CapturedBody(undefined);
const textCharactersMax = 256;

export function isEscapeReport({ headers }: Head): boolean {
  return headers['x-surety-report'] !== undefined;
}

/**
 * A service tells of a request that came to it past the router, with nothing of its key but the tag
 * in its trace id. It is served already: all there is to do is to say so in the lane's hops.
 */
export function recordEscape(
  { head, caller }: { head: Head; caller: Caller },
  { book, hops, clock }: ExchangeDeps,
): void {
  const claim = readClaim(book(), head.headers);
  if (!claim) throw unknownLane('it carries no key');
  const { lanes, services } = book().table;
  if (!Object.hasOwn(lanes, claim.key)) throw unknownLane(`the key ${claim.key} is unknown`);
  const told = (name: string): string | null => textOf(head.headers[name]);
  const to = told('x-surety-at');
  if (told('x-surety-report') !== 'escape' || to === null || !Object.hasOwn(services, to)) {
    throw invalid('a report must be of an escape, at a service of the table');
  }
  const served = told('x-surety-instance');
  hops.record({
    at: clock.now(),
    startedAt: performance.now(),
    key: claim.key,
    requestId: told('x-request-id'),
    traceId: traceIdOf(told('traceparent') ?? undefined),
    from: told('x-surety-from') || null,
    to,
    instance: served ?? 'baseline',
    served,
    recovered: false,
    escaped: true,
    protocol: 'http1',
    method: told('x-surety-method') ?? '',
    path: told('x-surety-path') ?? '',
    status: 0,
    durationMs: 0,
    request: nothing,
    response: nothing,
  });
  caller.begin({ status: 204, statusMessage: 'No Content', lines: [], isOver: true });
  caller.end([]);
}

function textOf(value: string | readonly string[] | undefined): string | null {
  return typeof value === 'string' ? value.slice(0, textCharactersMax) : null;
}
