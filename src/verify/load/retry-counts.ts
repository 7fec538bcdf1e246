import { asAnswered, type Hop } from '../../lanes/index.ts';
import { hopName, isSafe } from '../compare/index.ts';
import { leavesOf } from './json-leaves.ts';
import { callsBehind } from './planned-fault.ts';
import type { RetriedRequest } from './retry.ts';
import { isTimestamp } from './timestamp.ts';

/** By name. */
export type RetryCounts = ReadonlyMap<string, number>;

export function sizes(values: ReadonlyMap<string, ReadonlySet<string>>): RetryCounts {
  return new Map([...values].map(([name, all]) => [name, all.size]));
}

/** By field of the bodies at this hop and behind it, such as the id of a charge: its values. */
export function valuesBehind(hop: string, hops: readonly Hop[]): ReadonlyMap<string, Set<string>> {
  const { at, below } = callsBehind(hop, hops);
  const values = new Map<string, Set<string>>();
  for (const one of [...at, ...below].filter(hasEffect)) {
    for (const part of ['request', 'response'] as const) {
      for (const [field, value] of leavesOf(one[`${part}Body`])) {
        // What differs in each attempt anyway is no second effect.
        if (isTimestamp(value, field) || (one.requestId && String(value).includes(one.requestId)))
          continue;
        const name = `${plainName(one)}\n${part} ${field}`;
        values.set(name, (values.get(name) ?? new Set()).add(JSON.stringify(value)));
      }
    }
  }
  return values;
}

/** Calls whose answers have no body, so only their number shows a repetition. */
export function silentCalls(hop: string, hops: readonly Hop[]): RetryCounts {
  const { below } = callsBehind(hop, hops);
  const groups = Map.groupBy(below.filter(hasEffect), plainName);
  const silent = [...groups].filter(([, calls]) => calls.every((one) => one.responseBody === null));
  return new Map(silent.map(([name, calls]) => [name, calls.length]));
}

export function rowsIn({ writes }: RetriedRequest): RetryCounts {
  const inserted = writes.filter(({ kind }) => kind === 'insert');
  const tables = Map.groupBy(inserted, ({ store, table }) => `${store} ${table}`);
  return new Map([...tables].map(([name, rows]) => [name, rows.length]));
}

/** Without faults, so that first attempts and retries have the same name. */
export function plainName({ faults: _, ...hop }: Hop): string {
  return hopName(hop);
}

/** A call with an effect that was served, whether or not its caller got the answer. */
export function hasEffect(hop: Hop): boolean {
  const { protocol, answered, status } = asAnswered(hop);
  const isWell = answered !== false && isAccepted(status);
  return isWell && protocol !== 'message' && !isSafe(hop);
}

export function isAccepted(status = 0): boolean {
  return status >= 200 && status < 300;
}
