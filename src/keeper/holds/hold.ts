import { basename } from 'node:path';
import type { Instant } from '../../kernel/index.ts';
import {
  absolutePath,
  type Field,
  invalid,
  listOf,
  matching,
  objectOf,
  text,
  wholeNumber,
} from '../protocol/fields.ts';
import type { Hold } from '../protocol/protocol.ts';

/** What the keeper must know of a hold to end it, also when it did not place it itself. */
export interface HoldRecord extends Hold {
  readonly remove: readonly string[];
  readonly command: readonly string[];
}

/** It is the name of directories too: no dot, no slash, nothing to quote. */
export const holdName: Field<string> = matching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/);

const fields = objectOf({
  name: holdName,
  leaseEndsAt: wholeNumber(0),
  remove: listOf(absolutePath),
  command: listOf(text),
});

export const holdRecord: Field<HoldRecord> = (value, path) => checkNamed(fields(value, path), path);

/** Only what is named after the hold is ever removed, whatever somebody asks for. */
export function checkNamed<Order extends Pick<HoldRecord, 'name' | 'remove'>>(
  order: Order,
  path: string,
): Order {
  if (order.remove.every((directory) => basename(directory) === order.name)) return order;
  throw invalid(`${path}.remove`, 'must hold only paths that end with the name of the hold');
}

export function toHold({ name, leaseEndsAt }: HoldRecord): Hold {
  return { name, leaseEndsAt };
}

export function isHoldOver({ leaseEndsAt }: HoldRecord, now: Instant): boolean {
  return now >= leaseEndsAt;
}
