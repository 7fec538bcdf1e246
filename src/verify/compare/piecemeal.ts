import type { Hop } from '../../lanes/index.ts';
import { certaintyOf, type Difference } from './difference.ts';
import { hopName, isSafe } from './hop-name.ts';
import type { Served } from './served.ts';

/** So many more questions to one service for one request are one for each of something. */
const piecesMin = 3;

/**
 * More questions to the same service below one request, whatever they ask for: one for each of
 * something has another path each time.
 */
export function findPiecemeal(were: readonly Served[], now: readonly Served[]): Difference[] {
  const callees = new Set(now.flatMap(({ calls }) => calls.map(({ to }) => to)));
  return [...callees].flatMap((callee) => {
    const most = Math.max(...were.map((served) => questions(served, callee).length));
    const asked = now
      .map((served) => questions(served, callee))
      .reduce((more, calls) => (calls.length > more.length ? calls : more));
    const parent = (now[0] as Served).hop;
    if (asked.length < most + piecesMin || new Set(asked.map(hopName)).size === 1) return [];
    return [piecemeal(parent, asked, most, certaintyOf(were.length))];
  });
}

function questions({ calls }: Served, callee: string): Hop[] {
  return calls.filter((call) => call.to === callee && isSafe(call));
}

function piecemeal(
  parent: Hop,
  asked: readonly Hop[],
  most: number,
  confidence: number,
): Difference {
  const last = asked.at(-1) as Hop;
  return {
    class: 'calls',
    what: 'call-repeated',
    service: parent.to,
    hop: hopName(last),
    place: `all questions to ${last.to} below ${hopName(parent)}`,
    before: `${most} times`,
    after: `${asked.length} times`,
    examples: { before: null, after: asked.slice(0, 6).map(({ path }) => path) },
    severity: 'fail',
    confidence,
  };
}
