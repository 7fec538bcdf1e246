import type { Hop } from '../../lanes/index.ts';
import { certaintyOf, type Difference } from './difference.ts';
import { hopName, isSafe } from './hop-name.ts';
import type { ServedCall } from './served-calls.ts';

/** So many more reads of one service for one request are probably one for each item. */
const readsMin = 3;

/** More reads of one service below one request, whatever their paths: N+1 queries. */
export function findNPlusOne(
  were: readonly ServedCall[],
  now: readonly ServedCall[],
): Difference[] {
  const callees = new Set(now.flatMap(({ calls }) => calls.map(({ to }) => to)));
  return [...callees].flatMap((callee) => {
    const most = Math.max(...were.map((served) => readsOf(served, callee).length));
    const reads = now
      .map((served) => readsOf(served, callee))
      .reduce((more, calls) => (calls.length > more.length ? calls : more));
    const parent = (now[0] as ServedCall).hop;
    if (reads.length < most + readsMin || new Set(reads.map(hopName)).size === 1) return [];
    return [nPlusOne(parent, reads, most, certaintyOf(were.length))];
  });
}

function readsOf({ calls }: ServedCall, callee: string): Hop[] {
  return calls.filter((call) => call.to === callee && isSafe(call));
}

function nPlusOne(
  parent: Hop,
  reads: readonly Hop[],
  most: number,
  confidence: number,
): Difference {
  const last = reads.at(-1) as Hop;
  return {
    class: 'calls',
    what: 'call-repeated',
    service: parent.to,
    hop: hopName(last),
    place: `all questions to ${last.to} below ${hopName(parent)}`,
    before: `${most} times`,
    after: `${reads.length} times`,
    examples: { before: null, after: reads.slice(0, 6).map(({ path }) => path) },
    severity: 'fail',
    confidence,
  };
}
