import type { IncomingHttpHeaders } from 'node:http';
import { fault } from '../kernel/index.ts';

const keyPattern = /^[A-Za-z0-9_-]{1,64}$/;

export function isLaneKey(text: string): boolean {
  return keyPattern.test(text);
}

/**
 * The one key that a request carries, in its baggage, its tracestate or both. Anything else is
 * refused: only keyed requests come here, and a guess could be the wrong lane or the baseline.
 */
export function readKey({ baggage, tracestate }: IncomingHttpHeaders): string {
  const found = [...members(baggage, 'surety-lane'), ...members(tracestate, 'surety')];
  const [key, other] = new Set(found);
  if (key === undefined) throw unknownLane('it carries no key');
  if (other !== undefined) throw unknownLane('it carries several keys that contradict each other');
  if (!isLaneKey(key)) throw unknownLane('its key is not 1 to 64 letters, digits, _ and -');
  return key;
}

export function unknownLane(reason: string): Error {
  return fault('LANE_UNKNOWN', { reason });
}

/** Values of the members of that name, without the properties that baggage allows. */
function members(header: string | string[] | undefined, name: string): string[] {
  return [header ?? []]
    .flat()
    .flatMap((list) => list.split(','))
    .map((member) => member.split(';', 1)[0] as string)
    .map((member) => member.split('='))
    .filter(([found]) => found?.trim() === name)
    .map(([, ...value]) => value.join('=').trim());
}
