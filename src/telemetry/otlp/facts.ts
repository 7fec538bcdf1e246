import { telemetryLimits } from '../limits.ts';
import { cut } from './attribute-text.ts';
import { slot, slotsCount } from './conventions.ts';
import type { AttributeValue } from './drafts.ts';

/** The facts in the attributes of one span, by slot. */
export class SpanFacts {
  readonly #values: (AttributeValue | undefined)[] = new Array(slotsCount).fill(undefined);

  clear(): void {
    this.#values.fill(undefined);
  }

  tell(at: number, value: AttributeValue): void {
    if (this.#values[at] === undefined) this.#values[at] = value;
  }

  text(at: number): string {
    const value = this.#values[at];
    if (typeof value === 'string') return cut(value, telemetryLimits.telemetryNameCharsMax);
    if (value === undefined || value === null) return '';
    // Request headers come as lists.
    if (Array.isArray(value)) return firstText(value);
    return typeof value === 'object' ? '' : String(value);
  }

  /** A number that is not negative, also if it was reported as text. */
  number(at: number): number | null {
    const value = this.#values[at];
    if (value === undefined || value === '') return null;
    const number = typeof value === 'number' ? value : Number(value);
    return Number.isFinite(number) && number >= 0 ? number : null;
  }

  whole(at: number): number | null {
    const number = this.number(at);
    return number === null ? null : Math.round(number);
  }
}

function firstText([first]: readonly AttributeValue[]): string {
  return typeof first === 'string' ? cut(first, telemetryLimits.telemetryNameCharsMax) : '';
}

/** The method of a request, a call, a query or a message. */
export function methodOf(facts: SpanFacts): string {
  return (
    facts.text(slot.method) ||
    facts.text(slot.rpcMethod) ||
    facts.text(slot.dbOperation) ||
    facts.text(slot.messagingOperation)
  );
}

/** The route that its framework names, else the path without ids. */
export function routeOf(facts: SpanFacts): string {
  const named = facts.text(slot.route);
  if (named !== '') return named;
  const service = facts.text(slot.rpcService);
  if (service !== '') return `/${service}/${facts.text(slot.rpcMethod)}`;
  const path = facts.text(slot.path);
  return path === '' ? '' : pathTemplate(path);
}

const numberLike = /^(?=.*\d)(?:\d+|[0-9a-f-]{8,}|[A-Za-z]{1,12}[_-][\w-]{8,}|[\w-]{20,})$/i;

/** `/orders/4711?x=1` belongs to `/orders/:id`. */
export function pathTemplate(path: string): string {
  const end = path.search(/[?#]/);
  const bare = end === -1 ? path : path.slice(0, end);
  if (!/\d/.test(bare)) return bare;
  return bare
    .split('/')
    .map((part) => (numberLike.test(part) ? ':id' : part))
    .join('/');
}

/** Where a call went, as `host:port`; empty if it was not reported. */
export function peerAddress(facts: SpanFacts): string {
  const host = facts.text(slot.peerHost) || facts.text(slot.socketHost);
  if (host === '') return hostOf(facts.text(slot.url));
  const port = facts.text(slot.peerPort) || facts.text(slot.socketPort);
  return port === '' ? host : `${host}:${port}`;
}

function hostOf(url: string): string {
  const [, host = ''] = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?([^/?#]+)/i.exec(url) ?? [];
  return host;
}

/** A database or broker by its kind, as `postgresql://db:5432`. Views recognise it by this form. */
export function storeAt(facts: SpanFacts, address: string): string {
  const system = facts.text(slot.dbSystem) || facts.text(slot.messagingSystem);
  return system !== '' && address !== '' ? `${system}://${address}` : '';
}

/** The callee of a call without an address: a kind of database, or a queue. */
export function peerByKind(facts: SpanFacts): string {
  return (
    facts.text(slot.dbSystem) ||
    facts.text(slot.messagingDestination) ||
    facts.text(slot.messagingSystem) ||
    facts.text(slot.rpcService)
  );
}
