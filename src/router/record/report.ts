import type { ExchangeDeps } from '../exchange.ts';
import type { RequestHead } from '../inbound/head.ts';
import { readClaim } from '../routing/claim.ts';
import { unknownLane } from '../routing/lane-key.ts';
import { invalid } from '../table/table-forms.ts';
import { CapturedBody } from './captured-body.ts';
import type { HopDraft } from './hops.ts';

const nothing = new CapturedBody(undefined);
const textCharactersMax = 256;

/** What a service tells about something of a lane that it has got past the router. */
export interface KeyReport {
  readonly kind: string;
  readonly key: string;
  /** The service that tells. */
  readonly at: string;
  /** The name of its instance; null when it did not say. */
  readonly instance: string | null;
  /** As much of a hop as there is to know. */
  readonly draft: Omit<HopDraft, 'instance' | 'escaped' | 'protocol' | 'status'>;
  text(name: string): string | null;
}

export function isReport({ headers }: RequestHead): boolean {
  return headers['x-surety-report'] !== undefined;
}

export function readReport({ headers }: RequestHead, { book, clock }: ExchangeDeps): KeyReport {
  const claim = readClaim(book(), headers);
  if (!claim) throw unknownLane('it carries no key');
  const { key } = claim;
  const text = (name: string): string | null => textOf(headers[name]);
  const at = text('x-surety-at');
  if (at === null || !Object.hasOwn(book().table.services, at)) {
    throw invalid('a report must be from a service of the table');
  }
  const instance = text('x-surety-instance');
  const request = payloadOf(headers['x-surety-payload']);
  const draft = draftOf(text, { key, to: at, served: instance, at: clock.now(), request });
  return { kind: text('x-surety-report') ?? '', key, at, instance, draft, text };
}

function draftOf(
  text: KeyReport['text'],
  known: Pick<HopDraft, 'key' | 'to' | 'served' | 'at' | 'request'>,
): KeyReport['draft'] {
  return {
    ...known,
    startedAt: performance.now(),
    requestId: text('x-request-id'),
    traceparent: text('traceparent') ?? undefined,
    from: text('x-surety-from') || null,
    recovered: false,
    // The reporting service is not the one that answers the call.
    answered: false,
    method: text('x-surety-method') ?? '',
    path: text('x-surety-path') ?? '',
    durationMs: 0,
    response: nothing,
  };
}

function textOf(value: string | readonly string[] | undefined): string | null {
  return typeof value === 'string' ? value.slice(0, textCharactersMax) : null;
}

/** The content of a message, if its consumer passed it on. */
function payloadOf(value: string | readonly string[] | undefined): CapturedBody {
  if (typeof value !== 'string' || value === '') return nothing;
  const payload = new CapturedBody('application/json');
  payload.add(Buffer.from(value, 'base64'));
  return payload;
}
