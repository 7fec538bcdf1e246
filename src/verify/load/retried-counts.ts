import { asAnswered, type Hop } from '../../lanes/index.ts';
import { hopName, isSafe } from '../compare/index.ts';
import { leavesOf } from './leaves.ts';
import { isMoment } from './moment.ts';
import type { Retried } from './retried.ts';
import { callsBehind } from './swept-fault.ts';

/** By name, how many. */
export type Counts = ReadonlyMap<string, number>;

export function sizes(values: ReadonlyMap<string, ReadonlySet<string>>): Counts {
  return new Map([...values].map(([name, all]) => [name, all.size]));
}

/** By field of what was said there and behind it, such as the id of a charge: its values. */
export function valuesBehind(hop: string, hops: readonly Hop[]): ReadonlyMap<string, Set<string>> {
  const { at, below } = callsBehind(hop, hops);
  const values = new Map<string, Set<string>>();
  for (const one of [...at, ...below].filter(isDoing)) {
    for (const part of ['request', 'response'] as const) {
      for (const [field, value] of leavesOf(one[`${part}Body`])) {
        // What each attempt has of its own is no second effect.
        if (isMoment(value, field) || (one.requestId && String(value).includes(one.requestId)))
          continue;
        const name = `${plainName(one)}\n${part} ${field}`;
        values.set(name, (values.get(name) ?? new Set()).add(JSON.stringify(value)));
      }
    }
  }
  return values;
}

/** Calls that were answered with nothing that could tell whether it was done twice. */
export function silentCalls(hop: string, hops: readonly Hop[]): Counts {
  const { below } = callsBehind(hop, hops);
  const groups = Map.groupBy(below.filter(isDoing), plainName);
  const silent = [...groups].filter(([, calls]) => calls.every((one) => one.responseBody === null));
  return new Map(silent.map(([name, calls]) => [name, calls.length]));
}

export function rowsIn({ writes }: Retried): Counts {
  const inserted = writes.filter(({ kind }) => kind === 'insert');
  const tables = Map.groupBy(inserted, ({ store, table }) => `${store} ${table}`);
  return new Map([...tables].map(([name, rows]) => [name, rows.length]));
}

/** Of the first attempt and of those after it alike. */
export function plainName({ faults: _, ...hop }: Hop): string {
  return hopName(hop);
}

/** Somebody was asked to do something, and did, whether or not its caller heard of it. */
export function isDoing(hop: Hop): boolean {
  const { protocol, answered, status } = asAnswered(hop);
  const isWell = answered !== false && isAccepted(status);
  return isWell && protocol !== 'message' && !isSafe(hop);
}

export function isAccepted(status = 0): boolean {
  return status >= 200 && status < 300;
}
