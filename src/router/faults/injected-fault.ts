import { fault } from '../../kernel/index.ts';
import { routerLimits } from '../limits.ts';
import { parseAddress } from '../table/address.ts';
import type { AddressBook } from '../table/address-book.ts';

/** What a request asks for, and what of it is met at this hop. */
export interface AskedFaults {
  /** As they were asked for, at whatever hop. */
  readonly text: string;
  readonly met: InjectedFault | null;
}

/** What goes wrong with a call because its request asked for it. */
export interface InjectedFault {
  /** As it was asked for: `delay=800+status=503`. */
  readonly text: string;
  readonly delayMs: number;
  /** Null where the call goes on; 0 where the connection breaks off. */
  readonly status: number | null;
  /** The call is served, and the connection breaks off instead of its answer. */
  readonly isLost: boolean;
}

interface Hop {
  readonly from: string | null;
  readonly to: string;
}

const member = /(?:^|,)\s*surety-fault\s*=\s*([^,;]*)/g;
const form = /^([^>:]+)>(.+?):((?:delay|status|reset|lost)[^:]*)$/;

/**
 * The faults that a keyed request asks for in its baggage, such as
 * `surety-fault=pricing>validation:delay=800`, several with a bar between them. Null: it asks
 * for none. What can't be understood is refused: a check that believes it met a fault would be
 * wrong.
 */
export function readFaults(
  book: AddressBook,
  baggage: string | undefined,
  hop: Hop,
): AskedFaults | null {
  // Nearly every request ends here: it must cost nothing.
  if (!baggage?.includes('surety-fault')) return null;
  const asked = [...baggage.matchAll(member)].flatMap(([, value = '']) => value.trim().split('|'));
  if (asked.length === 0) return null;
  if (asked.length > routerLimits.injectedFaultsMax) {
    throw invalid(
      `it asks for ${asked.length} faults; ${routerLimits.injectedFaultsMax} are taken`,
    );
  }
  const faults = asked.map((text) => readFault(book, text));
  const met = faults.find(({ from, to }) => isAt(hop, from, to))?.fault ?? null;
  return { text: asked.join('|'), met };
}

function isAt(hop: Hop, from: string, to: string): boolean {
  return to === hop.to && (from === '*' || from === (hop.from ?? 'outside'));
}

function readFault(book: AddressBook, text: string) {
  const [, from = '', to = '', what = ''] = form.exec(text) ?? [];
  if (what === '')
    throw invalid(`"${text}" is not caller>service:delay=800, status=503, reset or lost`);
  checkName(book, from, ['*', 'outside']);
  if (!parseAddress(to)) checkName(book, to, []);
  return { from, to, fault: effectOf(what) };
}

function checkName({ table }: AddressBook, name: string, others: readonly string[]): void {
  if (others.includes(name) || Object.hasOwn(table.services, name)) return;
  throw invalid(`there is no service "${name}"`);
}

function effectOf(text: string): InjectedFault {
  let delayMs = 0;
  let status: number | null = null;
  let isLost = false;
  for (const part of text.split('+')) {
    const [, name = part, digits = ''] = /^(delay|status)=(\d{1,9})$/.exec(part) ?? [];
    const value = Number(digits);
    if (name === 'delay' && digits !== '') delayMs = delayOf(value);
    else if (name === 'status' && value >= 400 && value <= 599) status = value;
    else if (part === 'reset') status = 0;
    else if (part === 'lost') isLost = true;
    else throw invalid(`"${part}" is neither delay=<ms>, status=<400 to 599>, reset nor lost`);
  }
  if (isLost && status !== null) throw invalid('an answer can only be lost where there is one');
  return { text, delayMs, status, isLost };
}

function delayOf(ms: number): number {
  if (ms <= routerLimits.injectedDelayMsMax) return ms;
  throw invalid(`a delay of ${ms} ms; ${routerLimits.injectedDelayMsMax} are the most`);
}

function invalid(reason: string): Error {
  return fault('INJECTION_INVALID', { reason });
}
