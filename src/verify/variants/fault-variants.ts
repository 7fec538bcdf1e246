import { type CallTree, type Hop, requestPaths } from '../../lanes/index.ts';
import { hopName } from '../compare/index.ts';
import { isRead } from '../traffic/index.ts';
import type { KnownRequest } from './known-requests.ts';
import { madeFrom, type Variant, variantOf } from './variant.ts';

/**
 * Pure: known requests while a service fails that a changed service calls for them; effects first.
 * A change must not take a refused call for an answer.
 */
export function faultVariants(
  known: readonly KnownRequest[],
  { hops, changed }: { readonly hops: readonly Hop[]; readonly changed: readonly string[] },
  limit: number,
): Variant[] {
  const failing = callsByRequest(hops, changed);
  const outer = known.filter(({ isInner, what }) => !isInner && what === undefined);
  const all = outer.flatMap((one) =>
    [...(failing.get(one.name) ?? [])].map((call) => {
      const last = one.requests.at(-1);
      return { known: one, call, rank: last && isRead(last) ? 1 : 0 };
    }),
  );
  return all
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, limit)
    .map(({ known: one, call, rank }) => {
      const what = `while ${call.split('>')[1]} answers 503`;
      const draft = variantOf({ ...one, read: undefined }, { what, rank }, (request) => ({
        ...request,
        headers: [...request.headers, ['baggage', `surety-fault=${call}:status=503`]],
      }));
      // What a service remembers of a failure is no start for other requests.
      return madeFrom({ ...draft, usual: undefined });
    });
}

/** By the name of a request, the calls of changed services for it: `orders>fees`. */
function callsByRequest(
  hops: readonly Hop[],
  changed: readonly string[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const calls = new Map<string, Set<string>>();
  for (const root of requestPaths(hops).flatMap((path) => path.calls)) {
    if (root.hop.from !== null || root.hop.faults !== undefined) continue;
    const own = calls.get(hopName(root.hop)) ?? new Set<string>();
    calls.set(hopName(root.hop), own);
    for (const { from, to, protocol } of root.calls.flatMap(callsIn)) {
      const isCall = protocol !== 'message' && protocol !== 'websocket';
      if (isCall && from !== null && changed.includes(from)) own.add(`${from}>${to}`);
    }
  }
  return calls;
}

function callsIn({ hop, calls }: CallTree): Hop[] {
  return [hop, ...calls.flatMap(callsIn)];
}
