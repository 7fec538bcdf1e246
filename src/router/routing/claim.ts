import type { AddressBook } from '../table/address-book.ts';
import { readKeys, unknownLane } from './lane-key.ts';
import { tagsIn } from './trace-tag.ts';

/** The headers of a request; repeated headers are joined by commas. */
export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Which lane a request says it belongs to. */
export interface LaneClaim {
  readonly key: string;
  /** Only the trace id identified the lane. */
  readonly recovered: boolean;
  /** Whether baggage and trace state hold the key, where services will look for it. */
  readonly isInPlace: boolean;
}

/** Undefined for a request without a lane. Throws when the headers do not name exactly one lane. */
export function readClaim(book: AddressBook, headers: HeaderValues): LaneClaim | undefined {
  const baggage = textOf(headers.baggage);
  const tracestate = textOf(headers.tracestate);
  const header = book.table.header && textOf(headers[book.table.header]);
  const found = readKeys({ baggage, tracestate, header });
  if (found.length === 0) return recover(book, textOf(headers.traceparent));
  const keys = new Set(found.map((key) => book.keyOf(key) ?? key));
  const [key = '', other] = keys;
  if (other !== undefined) throw unknownLane('it carries several keys that contradict each other');
  const isPlain = found.every((one) => one === key);
  // Programs that pass on only the trace context keep `tracestate`, whoever began the trace.
  const isInPlace =
    isPlain &&
    (baggage ?? '').includes(`surety-lane=${key}`) &&
    (tracestate ?? '').includes(`surety=${key}`);
  return { key, recovered: false, isInPlace };
}

/**
 * Only chance would make a foreign trace id look like ours, and only with our secret does it pass:
 * a tag that is ours but of no open lane is that of a lane that has ended.
 */
function recover(book: AddressBook, traceparent: string | undefined): LaneClaim | undefined {
  const tags = tagsIn(traceparent).filter((tag) => book.keyOf(tag) ?? book.isOurs(tag));
  const [tag, other] = new Set(tags);
  if (tag === undefined) return undefined;
  if (other !== undefined) throw unknownLane('its trace ids are of several lanes');
  const key = book.keyOf(tag);
  if (key === undefined) throw unknownLane('the lane of its trace id has ended');
  return { key, recovered: true, isInPlace: false };
}

export function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(',') : value;
}
