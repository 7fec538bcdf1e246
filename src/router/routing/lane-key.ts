import { fault } from '../../kernel/index.ts';

const keyPattern = /^[A-Za-z0-9_-]{1,64}$/;

export function isLaneKey(text: string): boolean {
  return keyPattern.test(text);
}

/** The headers by which a key may come; `header` is the one that the table names. */
export interface KeyHeaders {
  readonly baggage?: string | undefined;
  readonly tracestate?: string | undefined;
  readonly header?: string | undefined;
}

/**
 * Everything that a request says its key is, in any of them. A repeated header is one list here,
 * so that no copy is passed over.
 */
export function readKeys({ baggage, tracestate, header }: KeyHeaders): readonly string[] {
  const found = [
    ...(baggage === undefined ? [] : members(baggage, 'surety-lane')),
    ...(tracestate === undefined ? [] : members(tracestate, 'surety')),
    ...(header === undefined ? [] : header.split(',').map((one) => one.trim())),
  ];
  for (const key of found) {
    if (!isLaneKey(key)) throw unknownLane('its key is not 1 to 64 letters, digits, _ and -');
  }
  return found;
}

export function unknownLane(reason: string): Error {
  return fault('LANE_UNKNOWN', { reason });
}

/** Values of the members of that name, without the properties that baggage allows. */
function members(list: string, name: string): string[] {
  // Most lists hold no key, and need not be split.
  if (!list.includes(name)) return [];
  return list
    .split(',')
    .map((member) => member.split(';', 1)[0] as string)
    .map((member) => member.split('='))
    .filter(([found]) => found?.trim() === name)
    .map(([, ...value]) => value.join('=').trim());
}

/** The list with our member first, and all others as they were. */
export function withMember(list: string | undefined, name: string, key: string): string {
  const others = (list ?? '')
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '' && member.split('=', 1)[0]?.trim() !== name);
  return [`${name}=${key}`, ...others].join(',');
}
