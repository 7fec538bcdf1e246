import type { Hop } from '../../lanes/index.ts';

/** How often one service called another for the requests of the change. */
export type SeenCall = {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  /** Those that were answered with an error of the server, or not at all. */
  readonly failed: number;
};

const callsMax = 24;

export function seenCalls(hops: readonly Hop[]): SeenCall[] {
  const pairs = Map.groupBy(hops, ({ from, to }) => JSON.stringify([from ?? 'outside', to]));
  return [...pairs].slice(0, callsMax).map(([pair, calls]) => {
    const [from, to] = JSON.parse(pair) as [string, string];
    const failed = calls.filter(({ status }) => status >= 500 || status === 0).length;
    return { from, to, count: calls.length, failed };
  });
}
